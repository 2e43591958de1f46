// An independent judge: each message of a transcript is held against the protocol's schema by ajv (2020-12, formats asserted).
// usage: node validate.mjs SCHEMA TRANSCRIPT     with AICC_NODE_MODULES naming the folder that `npm ci` made.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";

const require = createRequire(path.join(path.resolve(process.env.AICC_NODE_MODULES ?? "node_modules"), "x.js"));
const Ajv = require("ajv/dist/2020").default;
const formats = require("ajv-formats").default;

const [schemaFile, transcriptFile] = process.argv.slice(2);
const ajv = new Ajv({ strict: false, allErrors: false });
formats(ajv);
const judge = ajv.compile(JSON.parse(readFileSync(schemaFile, "utf8")));

const seen = {};
const faults = [];
const lines = readFileSync(transcriptFile, "utf8").split("\n");
if (lines.pop() !== "") faults.push("the last line has no end");

lines.forEach((text, index) => {
  const fault = (what) => faults.push(`line ${index + 1}: ${what}\n  ${text.slice(0, 400)}`);
  let line;
  try {
    line = JSON.parse(text);
  } catch (error) {
    return fault(error.message);
  }
  if (!["to_agent", "to_bridge"].includes(line.direction)) return fault('"direction" is neither "to_agent" nor "to_bridge"');
  if (!Number.isFinite(line.time_ms)) return fault('"time_ms" is not a number');
  if (typeof line.message !== "object" || line.message === null) return fault('"message" is not an object');
  if (!judge(line.message)) return fault(judge.errors.map((e) => `${e.instancePath || "/"} ${e.message}`).join("; "));
  const { type, error } = line.message;
  const key = `${line.direction} ${type}${error ? " " + error.code : ""}`;
  seen[key] = (seen[key] ?? 0) + 1;
});

// What a demo has to show, or its transcript proves little.
for (const need of ["to_agent session_init", "to_bridge tool_call", "to_agent tool_result", "to_agent event", "to_agent tool_result timeout"])
  if (!seen[need]) faults.push(`no message of the kind: ${need}`);
if (!Object.keys(seen).some((key) => key.startsWith("to_agent tool_result ") && !key.endsWith(" timeout"))) faults.push("no call was refused");

for (const key of Object.keys(seen).sort()) console.log(`${String(seen[key]).padStart(5)}  ${key}`);
for (const text of faults) console.error(text);
console.log(`${lines.length} messages, ${faults.length} faults`);
process.exit(faults.length ? 1 : 0);
