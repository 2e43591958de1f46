// The protocol's words for what went wrong, said plainly, with what to do.

export const faults = {
  protocol_mismatch: ["Another protocol", "The agent speaks another version of the protocol than this game, which speaks aicc/0.1.", "Update the agent, or the library in the game, so that both name the same version."],
  session_expired: ["The session is over", "The message named a session that is not open here: it was closed, replaced, or its agent stayed away for longer than it may.", "The agent connects again without session_resume and takes the session that it is given. Calls that were open have ended."],
  tool_unknown: ["No such tool", "The character has no tool of this name, or has it no longer.", "Compare the name with the list under Tools. The agent reads the latest manifest, which a heartbeat carries when tools change."],
  tool_unavailable: ["The tool cannot be used now", "The tool exists but is switched off, needs a capability that the character does not hold, or its limit is used up.", "If the answer says retryable, wait as long as retry_after_ms says and call again. Otherwise grant the capability, enable the tool, or raise its limit in the game."],
  invalid_input: ["The input does not fit", "The message, or a tool's input, is not what its schema asks for. The text names each place, what was wanted and what came.", "Correct those places and send again. If agents stumble over the same place often, say in the tool's description what it wants."],
  execution_failed: ["The game said no", "The input was good and the tool's function ran, but the game could not do it.", "Read the game's own words. The agent may try something else; if it should not have failed, look at the tool's function."],
  timeout: ["No answer in time", "The game gave no answer before the tool's deadline. If the call had already been handed over, what it did is not known.", "Retry only if the answer says retryable. If the work takes longer by nature, raise the tool's timeout, or extend the call while it goes on. Check that the game pumps its frames."],
  internal_error: ["A fault on the game's side", "The game answered with what its own output schema forbids, or the library met a fault of its own. The agent can do nothing about it.", "The game's log says where. Correct the output or the schema in the game."],
};

const lines = {
  "host fault": ["A fault of the game", "The game called the library in a way that it could not follow, or answered a call with something that does not fit.", "The text says which call and what was wrong with it."],
  "log warning": ["A warning in the log", "The library goes on, but something is not as it should be.", "Read the text."],
  "log error": ["An error in the log", "Something failed on the game's side.", "Read the text; if it calls itself an internal fault, report it with the text."],
};

export const explain = (name) => faults[name] ?? lines[name];

// What a connection's end means for who plays by hand.
export const endings = {
  4409: "The character has an agent, or waits for one that may come back.",
  4410: "Another agent has taken the character over.",
  1000: "The session is over.",
  1001: "The game no longer listens.",
  world: "The world has ended or was replaced: if the character is here again, choose it again.",
  1006: "The connection was cut, or refused: the game has ended, or the character is not free.",
};

export const keys = [
  ["1 2 3", "messages, tools, faults"], ["/", "filter the messages"],
  ["c", "to the characters"], ["m", "to the messages"],
  ["j k", "down, up in a list"], ["[ ]", "character before, after"],
  ["g G", "begin, end of a list"], ["Space", "hold, go on"],
  ["Enter", "open what is selected"], ["Esc", "back; all characters"],
  ["p", "play the character by hand"], ["t", "theme"],
];

export const filters = [
  ["guard", "any text in a message, or a name"], ["type:event", "by type"], ["tool:walk_to", "calls and results of a tool"], ["topic:tick", "events of a topic"],
  ["code:timeout", "by error code"], ["dir:in", "from agents; dir:out to them"], ["-topic:tick", "not these"], ['"two words"', "with the space"],
];
