// The official TypeScript MCP client plays the night watch through `aicc mcp`. Every line that begins with "ok " is a step that held; one with "do "
// asks the test to do something to the game, which it says it has done with a line on standard input.
// usage: node client.mjs stdio PROGRAM GAME_URL | node client.mjs http MCP_URL TOKEN      with AICC_NODE_MODULES
import assert from "node:assert/strict";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const sdk = (file) => import(pathToFileURL(path.join(process.env.AICC_NODE_MODULES, "@modelcontextprotocol/sdk/dist/esm", file)));
const { Client } = await sdk("client/index.js");
const { StdioClientTransport } = await sdk("client/stdio.js");
const { StreamableHTTPClientTransport } = await sdk("client/streamableHttp.js");
const { ResourceUpdatedNotificationSchema, ToolListChangedNotificationSchema } = await sdk("types.js");

const [how, where, what] = process.argv.slice(2);
const answers = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const ok = (step) => console.log(`ok ${step}`);
const tell = async (order) => {
  console.log(`do ${order}`);
  assert.equal((await answers.next()).value, "done");
};

let lists = 0, updates = [], complaints = [];
const connect = async () => {
  const client = new Client({ name: "aicc-test", version: "1" });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void lists++);
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => void updates.push(n.params.uri));
  client.onerror = (e) => void complaints.push(e.message);
  const transport = how === "stdio"
    ? new StdioClientTransport({ command: where, args: ["mcp", what], stderr: "ignore" })
    : new StreamableHTTPClientTransport(new URL(where), { requestInit: { headers: { Authorization: `Bearer ${what}` } } });
  await client.connect(transport);
  return { client, transport };
};
const until = async (what, is) => {
  for (const end = Date.now() + 20000; ; await new Promise((r) => setTimeout(r, 10))) {
    if (await is()) return;
    assert.ok(Date.now() < end, what);
  }
};

let { client, transport } = await connect();
const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
const text = (result) => result.content.map((c) => c.text).join("\n");
const names = async () => (await client.listTools()).tools.map((t) => t.name);

const first = ["light_lantern", "listen", "look", "ring_bell", "say", "wait-for-event", "walk_to"];
const { tools } = await client.listTools();
assert.deepEqual(tools.map((t) => t.name), first);
const look = tools.find((t) => t.name === "look");
assert.equal(look.annotations.readOnlyHint, true);
assert.equal(tools.find((t) => t.name === "walk_to").annotations.readOnlyHint, false);
assert.match(tools.find((t) => t.name === "ring_bell").description, /"?alarm"?/);
assert.match(client.getInstructions(), /one character of a running game/);
ok("list");

let seen = await call("look", {});
assert.equal(seen.structuredContent.light, 0);
assert.deepEqual(JSON.parse(seen.content[0].text), seen.structuredContent);
await call("light_lantern", {});
ok("call");

let bad = await call("walk_to", { place: "moon", speed: 100 });
assert.equal(bad.isError, true);
assert.match(text(bad), /^invalid_input: [^]*\n\/place: wanted one of [^]*\n\/speed: wanted [^]*What to do: /);
assert.match(text(await call("ring_bell", {})), /^tool_unavailable: [^]*Retryable: no\./);
assert.match(text(await call("fly", {})), /^tool_unknown: there is no tool "fly"\. There are: light_lantern, /);
ok("bad input");

const heard = await call("wait-for-event", { topics: ["audio"], timeout_seconds: 20, after: 0 });
assert.equal(heard.structuredContent.events[0].payload.sound, "breaking glass");
ok("wait for event");

const progress = [];
const walked = await call("walk_to", { place: "store", speed: "9" }, { onprogress: (p) => progress.push(p), resetTimeoutOnProgress: true });
assert.equal(walked.structuredContent.place, "store");
assert.match(walked.content[1].text, /repaired in the arguments: \/speed/);
assert.match(progress[0].message, /^state_change \{"kind":"walking","at":\[/);
assert.ok(progress.every((p, i) => p.progress === i + 1));
ok("progress");

let before = lists;
assert.deepEqual((await call("look", {})).structuredContent.sees, ["a thief with a sack"]); // and the game grants the alarm
await until("the list changes", () => lists > before);
assert.doesNotMatch((await client.listTools()).tools.find((t) => t.name === "ring_bell").description, /does not (have|hold)/);
before = lists;
assert.deepEqual((await call("say", { text: "Halt!" })).structuredContent.heard_by, ["thief"]);
await until("the list changes", async () => lists > before && (await names()).includes("open_sack"));
assert.equal((await call("open_sack", {})).structuredContent.found.length, 2);
ok("list change");

const resources = (await client.listResources()).resources.map((r) => r.uri);
assert.deepEqual(resources, ["aicc://events", ...["agent_message", "audio", "collision", "state_change", "tick"].map((t) => `aicc://latest/${t}`), "aicc://world"]);
const read = async (uri) => JSON.parse((await client.readResource({ uri })).contents[0].text);
const world = await read("aicc://world");
assert.deepEqual([world.game, world.character, world.world], ["connected", "guard", { name: "night watch", kind: "2d" }]);
assert.equal((await read("aicc://latest/state_change")).payload.does, "drops the sack");
await assert.rejects(client.readResource({ uri: "aicc://other" }));
await assert.rejects(client.subscribeResource({ uri: "aicc://other" }));
await client.subscribeResource({ uri: "aicc://latest/state_change" });
updates = [];
await call("walk_to", { place: "well", speed: 9 });
await until("the resource is updated", () => updates.includes("aicc://latest/state_change"));
assert.equal((await read("aicc://latest/state_change")).payload.kind, "walking");
await client.unsubscribeResource({ uri: "aicc://latest/state_change" });
ok("resources");

const stop = new AbortController();
const walking = call("walk_to", { place: "gate", speed: 9 }, { signal: stop.signal, onprogress: () => stop.abort("enough") });
await assert.rejects(walking, /enough/);
const late = await call("wait-for-event", { topics: ["late_result"], after: 0 }); // aicc/0.1 cannot take a call back: he arrives
assert.deepEqual(late.structuredContent.events[0].payload, { tool: "walk_to", input: { place: "gate", speed: 9 }, ok: true, output: { place: "gate" } });
if (how === "stdio") assert.deepEqual(complaints.filter((c) => c.includes("unknown message ID")), []); // over HTTP the SDK answers what was cancelled
ok("cancel");

await tell("stop the game");
await until("it is away", async () => (await read("aicc://world")).game === "unreachable");
const away = await call("look", {});
assert.equal(away.isError, true);
assert.match(text(away), /^game_unreachable: nothing listens at [^]*; it is tried again; nothing was done\nRetryable: yes/);
before = lists;
await tell("start the game");
await until("the list changes", () => lists > before);
await until("the tools are the first", async () => (await names()).join() === first.join());
await until("it answers", async () => !(await call("look", {})).isError);
seen = await call("look", {});
assert.equal(seen.structuredContent.light, 0);
ok("the game restarts");

assert.deepEqual((await call("light_lantern", {})).structuredContent, {});
assert.equal((await call("look", {})).structuredContent.light, 8);
if (how === "http") await transport.terminateSession();
await client.close();
({ client, transport } = await connect());
await until("the character is free", async () => !(await call("look", {})).isError);
// Over HTTP he never left. Over stdio his agent has said good-bye, and this game's evening begins anew for the next.
assert.equal((await call("look", {})).structuredContent.light, how === "http" ? 8 : 0);
ok("the client restarts");

if (how === "http") {
  await tell("restart the server");
  await until("a new session works", async () => {
    try {
      ({ client, transport } = await connect());
      return !(await call("look", {})).isError;
    } catch {
      return false;
    }
  });
  ok("the server restarts");
}
await client.close();
console.log("all held");
process.exit(0);
