// A hand at playing: this page as a character's agent, speaking aicc/0.1 to the game as any other.

import { open, tell } from "./feed.js";
import { exact } from "./json.js";
import { endings } from "./words.js";
import { store } from "./store.js";

export const hands = new Map(); // by character
export const mostCalls = 16; // that the protocol lets a session have under way

const protocol = "aicc/0.1";
const patience = 120_000; // of ours, for a result; the game's own deadlines come first

export class Hand {
  playing = false;
  tools = null;
  held = new Set(); // capabilities
  waiting = new Map();
  why = "";

  constructor(character, changed) {
    Object.assign(this, { id: character.id, name: character.name, world: store.worlds.get(character.world)?.name ?? "", changed });
  }

  // join becomes the agent. take: also where another agent is, or may come back.
  join(take) {
    this.take = take;
    hands.set(this.id, this);
    const query = { world: this.world, character: this.name };
    if (take) query.take = "1";
    this.socket = open("play", query);
    this.socket.onmessage = (e) => this.hear(e.data);
    this.socket.onclose = (e) => this.end(ending(e.code, e.reason));
    this.changed(this);
  }

  leave() {
    if (this.playing) this.send({ type: "session_close", reason: "left by hand" });
    else this.socket.close();
    this.left = true;
  }

  // release lets go when the page goes.
  release() {
    if (this.playing) this.send({ type: "session_close", reason: "the inspector's page was closed" });
    this.socket.close();
  }

  end(why) {
    if (hands.get(this.id) === this) hands.delete(this.id);
    this.playing = false;
    played();
    this.why = this.left ? "" : why;
    for (const call of this.waiting.values()) call.resolve({ lost: true, message: "The connection ended before a result came. Whether the game did it is not known." });
    this.waiting.clear();
    this.changed(this);
  }

  send(message) {
    this.socket.send(JSON.stringify({ protocol, session_id: this.session, message_id: crypto.randomUUID(), ...message }));
  }

  hear(text) {
    const m = exact(text);
    switch (m.type) {
      case "session_init":
        this.session = m.session_id;
        this.playing = true;
        played();
        this.manifest(m);
        break;
      case "heartbeat":
        if (m.manifest_update) this.manifest(m.manifest_update);
        break;
      case "tool_result": {
        const call = this.waiting.get(m.call_id);
        this.waiting.delete(m.call_id);
        call?.resolve({ ok: m.ok, code: m.error?.code, message: m.error?.message, retryable: m.error?.retryable, meta: m.meta, text, took: Math.round((performance.now() - call.at) * 1000) });
        break;
      }
      case "error": // one that quotes a call's message is that call's
        for (const [id, call] of this.waiting) {
          if (!m.error.message.includes(call.message)) continue;
          this.waiting.delete(id);
          call.resolve({ ok: false, code: m.error.code, message: m.error.message, retryable: m.error.retryable, text, took: Math.round((performance.now() - call.at) * 1000) });
        }
        break;
      case "session_close":
        this.socket.close();
    }
  }

  manifest(m) {
    this.tools = m.tools;
    this.held = new Set([...m.capabilities.sensors, ...m.capabilities.actuators, ...m.capabilities.generators]);
    this.changed(this);
  }

  // call sends a tool's input as the JSON text that it is, so that numbers keep their digits.
  call(tool, input) {
    const call_id = "hand-" + crypto.randomUUID().slice(0, 13);
    const message = crypto.randomUUID();
    const head = JSON.stringify({ protocol, type: "tool_call", session_id: this.session, message_id: message, call_id, tool });
    return new Promise((resolve) => {
      this.waiting.set(call_id, { resolve, message, at: performance.now() });
      setTimeout(() => this.waiting.delete(call_id) && resolve({ lost: true, message: "No result came within two minutes." }), patience);
      this.socket.send(`${head.slice(0, -1)},"input":${input}}`);
    });
  }
}

// ending says why one plays no longer. A world may end while the game goes on.
function ending(code, reason) {
  if (code === 1001 && /\bworld\b/.test(reason)) return endings.world;
  return endings[code] ? endings[code] + (reason ? ` The game says: ${reason}.` : "") : reason || `The connection ended (${code}).`;
}

const played = () => tell([...hands.values()].filter((hand) => hand.playing).map((hand) => hand.id));

addEventListener("pagehide", () => hands.forEach((hand) => hand.release()));
