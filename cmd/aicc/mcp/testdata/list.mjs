// The official TypeScript MCP client lists the tools of a game through `aicc mcp` and calls each that is the game's.
// usage: node list.mjs PROGRAM GAME_URL      with AICC_NODE_MODULES
import assert from "node:assert/strict";
import path from "node:path";
import { pathToFileURL } from "node:url";

const sdk = (file) => import(pathToFileURL(path.join(process.env.AICC_NODE_MODULES, "@modelcontextprotocol/sdk/dist/esm", file)));
const { Client } = await sdk("client/index.js");
const { StdioClientTransport } = await sdk("client/stdio.js");

const client = new Client({ name: "aicc-test", version: "1" });
await client.connect(new StdioClientTransport({ command: process.argv[2], args: ["mcp", process.argv[3]], stderr: "ignore" }));
const { tools } = await client.listTools();
for (const { name } of tools)
  if (name !== "wait-for-event") assert.deepEqual((await client.callTool({ name, arguments: {} })).content[0].text.slice(0, 5), name === "d" ? "inval" : '{"x":', name);
console.log(tools.map((t) => t.name).join(" "));
await client.close();
process.exit(0);
