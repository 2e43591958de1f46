// ajv as a peer of core/schema's tests: one JSON request a line in, one JSON answer a line out.
//   {"schema", "draft7", "inputs": [text], "rounds", "all"}  ->  {"error"} or {"verdicts": "10.."} or, with rounds, {"ns": {...}}
'use strict';
const path = require('path');
const at = (name) => require(path.join(process.env.AICC_NODE_MODULES || 'node_modules', name));
const Ajv7 = at('ajv').default;
const Ajv2020 = at('ajv/dist/2020').default;
const formats = at('ajv-formats').default;

function compiler(draft7, formatted, all) {
  const ajv = new (draft7 ? Ajv7 : Ajv2020)({ strict: false, logger: false, validateFormats: formatted, allErrors: all });
  if (formatted) formats(ajv);
  return ajv;
}

// cpu runs f n times and gives the nanoseconds of processor time that one took.
function cpu(n, f) {
  const from = process.cpuUsage();
  for (let i = 0; i < n; i++) f();
  const used = process.cpuUsage(from);
  return ((used.user + used.system) * 1000) / n;
}

function answer(q) {
  let validate;
  try {
    validate = compiler(q.draft7, !q.rounds, !!q.all).compile(q.schema);
  } catch (e) {
    return { error: String(e.message) };
  }
  if (!q.rounds) return { verdicts: q.inputs.map((text) => (validate(JSON.parse(text)) ? '1' : '0')).join('') };
  const text = q.inputs[0];
  const value = JSON.parse(text);
  let fits = 0;
  const parse = () => { fits += validate(JSON.parse(text)) ? 1 : 0; };
  const only = () => { fits += validate(value) ? 1 : 0; };
  cpu(q.rounds, parse); // let the compiler of the engine see it first
  cpu(q.rounds, only);
  return { ns: { parse: cpu(q.rounds, parse), only: cpu(q.rounds, only), compile: cpu(Math.min(20, q.rounds), () => compiler(q.draft7, false, !!q.all).compile(q.schema)) }, fits: fits > 0 };
}

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  console.log(JSON.stringify(answer(JSON.parse(line))));
});
