// The protocol's schema by ajv (2020-12, formats asserted). Standard input: a JSON string a line, each the text of a message. Standard output: a line for
// each: "yes", or "no" and why. usage: node ajv.mjs SCHEMA, with AICC_NODE_MODULES naming the folder that `npm ci` made.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";

const require = createRequire(path.join(path.resolve(process.env.AICC_NODE_MODULES), "x.js"));
const ajv = new (require("ajv/dist/2020").default)({ strict: false });
require("ajv-formats").default(ajv);
const judge = ajv.compile(JSON.parse(readFileSync(process.argv[2], "utf8")));

const lines = readFileSync(0, "utf8").split("\n");
lines.pop();
for (const line of lines) {
  let verdict = "yes";
  try {
    if (!judge(JSON.parse(JSON.parse(line)))) verdict = `no: ${judge.errors[0].instancePath} ${judge.errors[0].message}`;
  } catch (error) {
    verdict = `no: ${error.message.split("\n")[0]}`;
  }
  console.log(verdict);
}
