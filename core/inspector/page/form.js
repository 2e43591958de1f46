// A form made of a tool's input schema. What a form cannot ask for is asked for as JSON, so every input can be given.

import { h, put } from "./dom.js";
import { compare, digits } from "./json.js";

const deepest = 8;
const most = 400; // parts of one form: a schema may refer to itself, many times over
let left = most;

// form gives {element, read(), write(value)}. read gives {text} or {faults}: the input as JSON text, or what is wrong, each with its element marked.
export function form(schema) {
  left = most;
  const root = node(schema, { root: schema, path: "", name: "the input", required: true, depth: 0 });
  return {
    element: root.element,
    write: (value) => root.write(value),
    read() {
      const faults = [];
      for (const e of root.element.querySelectorAll("[aria-invalid]")) e.removeAttribute("aria-invalid");
      for (const e of root.element.querySelectorAll(".wrong")) e.remove();
      const text = root.read(faults) ?? "{}";
      return faults.length ? { faults, text } : { text };
    },
  };
}

const lengths = ["minLength", "maxLength", "minItems", "maxItems"]; // of which no digits beyond ours matter

// resolve follows references within the schema and takes allOf's parts together.
function resolve(schema, root, hops = 0) {
  if (typeof schema !== "object" || schema === null || left-- <= 0) return {};
  let s = schema;
  if (typeof s.$ref === "string" && s.$ref.startsWith("#") && hops < deepest) {
    let at = root;
    for (const part of s.$ref.slice(1).split("/").slice(1)) at = at?.[decodeURIComponent(part).replace(/~1/g, "/").replace(/~0/g, "~")];
    const { $ref, ...rest } = s;
    s = { ...resolve(at, root, hops + 1), ...rest };
  }
  if (Array.isArray(s.allOf) && hops < deepest) {
    const { allOf, ...rest } = s;
    for (const part of [...allOf.map((p) => resolve(p, root, hops + 1)), rest]) {
      s = part === allOf[0] ? part : { ...s, ...part, properties: { ...s.properties, ...part.properties }, required: [...(s.required ?? []), ...(part.required ?? [])] };
    }
    if (!Object.keys(s.properties).length) delete s.properties;
    delete s.allOf;
  }
  for (const name of lengths) if (JSON.isRawJSON?.(s[name])) s = { ...s, [name]: Number(s[name].rawJSON) };
  return s;
}

const typeOf = (s) => {
  if (Array.isArray(s.type)) return s.type.find((t) => t !== "null");
  return s.type ?? (s.properties ? "object" : s.items ? "array" : undefined);
};

function choices(s) {
  if ("const" in s) return [s.const];
  if (Array.isArray(s.enum)) return s.enum;
  const of = s.oneOf ?? s.anyOf;
  if (Array.isArray(of) && of.length && of.every((o) => o && typeof o === "object" && "const" in o)) return of.map((o) => o.const);
  return null;
}

function node(schema, at) {
  const s = resolve(schema, at.root);
  const list = choices(s);
  if (list) return choice(s, list, at);
  const odd = s.oneOf || s.anyOf || s.not || s.if || s.patternProperties;
  const type = typeOf(s);
  if (!odd && at.depth < deepest && left > 0) {
    if (type === "object" && s.properties && Object.keys(s.properties).length) return object(s, at);
    if (type === "object" && at.depth === 0 && s.additionalProperties === false) return { element: h("p", { class: "note" }, "This tool takes no input."), read: () => "{}", write() {} };
    if (type === "array" && !Array.isArray(s.items) && !s.prefixItems) return array(s, at);
    if (type === "boolean") return choice(s, [true, false], at);
    if (type === "number" || type === "integer") return number(s, type, at);
    if (type === "string") return string(s, at);
  }
  return raw(s, at);
}

// control joins an input with what is said about it.
function control(input, s, at, hints) {
  const text = [s.description, ...hints].filter(Boolean).join(" · ");
  const element = h("div", { class: "box" }, input, text ? h("span", { class: "hint" }, text.length > 300 ? text.slice(0, 300) + "…" : text) : null);
  input.setAttribute("aria-label", at.path || at.name);
  input.dataset.path = at.path;
  const wrong = (faults, message) => {
    faults.push({ path: at.path, message, input });
    input.setAttribute("aria-invalid", "true");
    element.append(h("span", { class: "hint wrong" }, message));
  };
  return { element, wrong };
}

function choice(s, list, at) {
  const others = new Set(list.filter((v) => typeof v !== "string").map((v) => JSON.stringify(v)));
  const words = (v) => (typeof v === "string" && !others.has(v) ? v : JSON.stringify(v)); // 1 and "1" are two choices
  const select = h("select", {}, !at.required || list.length > 1 ? h("option", { value: "" }, at.required ? "choose" : "not given") : null,
    list.slice(0, 500).map((v, i) => h("option", { value: String(i) }, words(v))));
  const { element, wrong } = control(select, s, at, []);
  const write = (v) => {
    const i = list.findIndex((x) => JSON.stringify(x) === JSON.stringify(v));
    select.value = i < 0 ? "" : String(i);
  };
  if ("default" in s) write(s.default);
  return {
    element, write,
    read(faults) {
      if (select.value !== "") return JSON.stringify(list[Number(select.value)]);
      if (at.required) wrong(faults, "choose one");
    },
  };
}

function number(s, type, at) {
  const low = s.exclusiveMinimum ?? s.minimum, high = s.exclusiveMaximum ?? s.maximum;
  const input = h("input", { type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", placeholder: "default" in s ? digits(s.default) : "" });
  const above = s.exclusiveMinimum !== undefined ? "above " : "at least ", below = s.exclusiveMaximum !== undefined ? "below " : "at most ";
  const both = low !== undefined && high !== undefined && s.exclusiveMinimum === undefined && s.exclusiveMaximum === undefined;
  const { element, wrong } = control(input, s, at, [both ? `${digits(low)} to ${digits(high)}` : [low !== undefined && above + digits(low), high !== undefined && below + digits(high)].filter(Boolean).join(", "), s.multipleOf && `steps of ${digits(s.multipleOf)}`, type === "integer" && "whole"]);
  return {
    element,
    write: (v) => { input.value = v === undefined || v === null ? "" : digits(v); },
    read(faults) {
      const text = input.value.trim();
      if (!text) return at.required ? void wrong(faults, "a number is wanted") : undefined;
      if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return void wrong(faults, "this is no number");
      const n = Number(text);
      if (type === "integer" && !Number.isInteger(n)) return void wrong(faults, "a whole number is wanted");
      for (const [bound, broken, words] of [["minimum", (c) => c < 0, "at least"], ["maximum", (c) => c > 0, "at most"], ["exclusiveMinimum", (c) => c <= 0, "more than"], ["exclusiveMaximum", (c) => c >= 0, "less than"]]) {
        const b = s[bound];
        if ((typeof b === "number" || JSON.isRawJSON?.(b)) && broken(compare(text, digits(b)))) return void wrong(faults, `${words} ${digits(b)} is wanted`);
      }
      return text;
    },
  };
}

function string(s, at) {
  const long = (s.maxLength ?? 0) > 120 || s.contentMediaType;
  const input = long ? h("textarea", { rows: 3, spellcheck: "false" }) : h("input", { type: "text", autocomplete: "off", spellcheck: "false" });
  if ("default" in s) input.placeholder = typeof s.default === "string" ? s.default : JSON.stringify(s.default);
  const { element, wrong } = control(input, s, at, [s.minLength > 1 && `at least ${s.minLength} characters`, s.maxLength && `at most ${s.maxLength} characters`, s.pattern && `of the form ${s.pattern}`, s.format]);
  return {
    element,
    write: (v) => { input.value = v === undefined || v === null ? "" : typeof v === "string" ? v : JSON.stringify(v); },
    read(faults) {
      const text = input.value;
      if (text === "" && (!at.required || s.minLength > 0)) return at.required ? void wrong(faults, "a text is wanted") : undefined;
      const length = [...text].length;
      if (s.minLength !== undefined && length < s.minLength) return void wrong(faults, `at least ${s.minLength} characters are wanted`);
      if (s.maxLength !== undefined && length > s.maxLength) return void wrong(faults, `at most ${s.maxLength} characters are wanted, ${length} are here`);
      return JSON.stringify(text);
    },
  };
}

function object(s, at) {
  const must = new Set(s.required ?? []);
  const fields = Object.entries(s.properties).slice(0, 100).map(([name, schema]) => {
    const required = must.has(name);
    const f = node(schema, { ...at, path: at.path ? `${at.path}.${name}` : name, name, required, depth: at.depth + 1 });
    const label = h("label", {}, name, required ? h("span", { class: "must", title: "required" }, " *") : null);
    label.addEventListener("click", () => f.element.querySelector("input,select,textarea,button")?.focus());
    return { name, required, f, row: h("div", { class: f.wide ? "field stack" : "field" }, label, f.element) };
  });
  return {
    wide: true,
    element: h("div", { class: at.depth ? "group box" : "box" }, at.depth && s.description ? h("span", { class: "hint" }, s.description) : null, fields.map((x) => x.row)),
    write(value) { for (const x of fields) x.f.write(value?.[x.name]); },
    read(faults) {
      const before = faults.length;
      const parts = fields.map((x) => [x.name, x.f.read(faults)]).filter(([, v]) => v !== undefined);
      // An object that may be left out, and of which nothing was given, lacks nothing.
      if (!at.required && !parts.length) {
        for (const f of faults.splice(before)) { f.input.removeAttribute("aria-invalid"); f.input.parentNode.querySelector(".wrong")?.remove(); }
        return undefined;
      }
      return "{" + parts.map(([n, v]) => JSON.stringify(n) + ":" + v).join(",") + "}";
    },
  };
}

function array(s, at) {
  let items = [];
  const box = h("div", { class: "box" });
  const more = h("button", { type: "button", class: "plain", onclick: () => add().f.element.querySelector("input,select,textarea")?.focus() }, "Add one");
  const { element, wrong } = control(more, s, at, [s.minItems && `at least ${s.minItems}`, s.maxItems !== undefined && `at most ${s.maxItems}`]);
  element.prepend(box);
  function add() {
    left = most; // each is asked for by hand, or by an input that was given
    const item = { f: node(s.items ?? {}, { ...at, path: `${at.path}[${items.length}]`, name: "item", required: true, depth: at.depth + 1 }) };
    item.row = h("div", { class: "item" }, item.f.element, h("button", { type: "button", title: "Take this one out", "aria-label": "Remove", onclick: () => { items = items.filter((x) => x !== item); item.row.remove(); } }, "−"));
    items.push(item);
    box.append(item.row);
    return item;
  }
  const least = at.required ? Math.min(s.minItems ?? 0, 20) : 0;
  const write = (value) => {
    items = [];
    put(box);
    for (const v of Array.isArray(value) ? value.slice(0, 200) : new Array(least).fill(undefined)) add().f.write(v);
  };
  write(s.default);
  return {
    wide: true, element, write,
    read(faults) {
      if (!items.length && !at.required) return undefined;
      if (s.minItems !== undefined && items.length < s.minItems) wrong(faults, `at least ${s.minItems} are wanted`);
      if (s.maxItems !== undefined && items.length > s.maxItems) wrong(faults, `at most ${s.maxItems} are wanted`);
      return "[" + items.map((x) => x.f.read(faults) ?? "null").join(",") + "]";
    },
  };
}

function raw(s, at) {
  const input = h("textarea", { rows: at.depth ? 2 : 5, spellcheck: "false", placeholder: "JSON" });
  const { element, wrong } = control(input, s, at, ["as JSON"]);
  if ("default" in s) input.value = JSON.stringify(s.default);
  return {
    element,
    write: (v) => { input.value = v === undefined ? "" : JSON.stringify(v, null, at.depth ? 0 : 2); },
    read(faults) {
      const text = input.value.trim();
      if (!text) return at.depth === 0 ? "{}" : at.required ? void wrong(faults, "a value is wanted") : undefined;
      try {
        JSON.parse(text);
        return text;
      } catch (e) {
        wrong(faults, "this is no JSON: " + e.message);
      }
    },
  };
}
