// The tools of a character, or of all, with what was counted of them; and one of them called by hand.

import { $, ask, clock, count, h, put, say, took } from "./dom.js";
import { form } from "./form.js";
import { member, pretty } from "./json.js";
import { Hand, hands } from "./play.js";
import { codes, states, store } from "./store.js";
import { explanation } from "./detail.js";

let char = 0, selected = null, version = -1, shownState = "", panel = null;
const rows = new Map();
let table, body, bar, note, goTo;
const results = new Map(); // of calls by hand, by character and tool

export const tools = {
  start(element, go) {
    goTo = go;
    bar = h("div", { class: "bar hand" });
    body = h("tbody", {});
    const head = ["Tool", "Class", "Calls", "Open", "Good", "Failed", "p50", "p95", "Last"];
    table = h("table", {}, h("thead", {}, h("tr", {}, head.map((t, i) => h("th", { class: i > 1 && i < 8 ? "num" : "" }, t)))), body);
    note = h("p", { class: "placeholder" });
    put(element, bar, h("div", { class: "scroll" }, table, note));
    body.addEventListener("keydown", key);
  },
  scope(c) { char = c; version = -1; shownState = ""; selected = null; rows.clear(); put(body); },
  get selected() { return selected; },
  focus() { (body.querySelector('[aria-selected="true"]') ?? body.firstElementChild)?.focus(); },
  frame(visible) {
    say($("n-tools"), char && store.toolsOf === char ? String(store.tools.length) : "");
    if (!visible) return;
    hand();
    lately();
    if (version === store.toolsVersion) return;
    version = store.toolsVersion;
    list();
  },
  detail,
  play,
};

// known gives a tool as the character's manifest has it; the one that a hand was given is the newest.
function manifest() { return hands.get(char)?.tools ?? (store.toolsOf === char ? store.tools : null) ?? []; }

function list() {
  const uses = store.usesOf === char ? new Map(store.uses.map((u) => [u[0], u])) : new Map();
  const names = [...new Set([...manifest().map((t) => t.id), ...uses.keys()])];
  const classes = new Map(manifest().map((t) => [t.id, t.class]));
  for (const [name, row] of rows) if (!names.includes(name)) { row.remove(); rows.delete(name); }
  for (const name of names) {
    let row = rows.get(name);
    if (!row) {
      row = h("tr", { tabindex: "-1", "aria-selected": "false", onclick: () => select(name), onfocus: () => select(name) }, new Array(9).fill(0).map((_, i) => h("td", { class: i > 1 && i < 8 ? "num" : i === 8 ? "mono last" : i === 0 ? "mono" : "" }, "")));
      rows.set(name, row);
      body.append(row);
    }
    const [, calls = 0, good = 0, failed = 0, open = 0, p50 = -1, p95 = -1, last = 0] = uses.get(name) ?? [];
    const texts = [name, classes.get(name) ?? (char ? "not in its manifest" : ""), count(calls), count(open), count(good), count(failed), took(p50), took(p95), last ? clock(last) : ""];
    texts.forEach((t, i) => say(row.children[i], t));
    [2, 3, 4, 5].forEach((i) => row.children[i].classList.toggle("zero", texts[i] === "0"));
    row.children[5].classList.toggle("bad", failed > 0);
    row.tabIndex = row === (rows.get(selected) ?? body.firstElementChild) ? 0 : -1;
  }
  const missing = !names.length;
  note.hidden = !missing;
  table.hidden = missing;
  if (missing) say(note, char ? "This character's tools are not known yet: the game tells of them when it next gets to it, or when an agent connects." : "No tool has been called since this page began to count. Choose a character to see what it can do.");
  if (selected && (!panel || panel.char !== char)) detail();
}

function select(name) {
  if (selected === name && panel?.char === char && panel.name === name) return;
  selected = name;
  for (const [n, row] of rows) {
    row.setAttribute("aria-selected", String(n === name));
    row.tabIndex = n === name ? 0 : -1;
  }
  detail();
}

function key(e) {
  const now = document.activeElement.closest("tr");
  const to = { ArrowDown: now?.nextElementSibling, j: now?.nextElementSibling, ArrowUp: now?.previousElementSibling, k: now?.previousElementSibling, Home: body.firstElementChild, End: body.lastElementChild }[e.key];
  if (to) to.focus();
  else if (e.key === "Enter") $("detail").querySelector("input,select,textarea,button.main")?.focus();
  else return;
  e.preventDefault();
  e.stopPropagation();
}

// hand draws who plays the character, and what one can do about it.
function hand() {
  const c = store.chars.get(char);
  const mine = hands.get(char);
  const state = !char ? "all" : !c ? "gone" : mine ? (mine.playing ? "mine" : "joining") : states[c.state];
  const key = `${char} ${state} ${c?.name} ${hand.why ?? ""}`;
  if (key === shownState) return;
  shownState = key;
  const button = (text, on, cls) => h("button", { type: "button", id: "hand", class: cls ?? "", onclick: on }, text);
  const parts = {
    all: [h("span", { class: "who" }, "Counts of all characters together. Choose one to see what it can do and to play it by hand.")],
    gone: [h("span", { class: "who" }, "This character is no longer here.")],
    free: [h("b", {}, c?.name), h("span", { class: "who" }, "Nobody plays it."), h("div", { class: "grow" }), button("Play by hand", () => play())],
    taken: [h("b", {}, c?.name), h("span", { class: "who" }, "An agent plays it."), h("div", { class: "grow" }), button("Take over…", () => play())],
    away: [h("b", {}, c?.name), h("span", { class: "who" }, "Its agent is away and may resume."), h("div", { class: "grow" }), button("Take over…", () => play())],
    joining: [h("b", {}, c?.name), h("span", { class: "who" }, "Connecting."), h("div", { class: "grow" }), button("Stop", () => mine.leave())],
    mine: [h("b", {}, c?.name), h("span", { class: "who" }, "You play it."), h("div", { class: "grow" }), button("Leave", () => mine.leave())],
  }[state];
  put(bar, parts, hand.why && state !== "mine" && state !== "joining" ? h("span", { class: "who" }, hand.why) : null);
}

// play makes the page the character's agent, or asks first where that ends another one's play.
async function play() {
  const c = store.chars.get(char);
  if (!c || hands.has(char)) return;
  if (c.state !== 0) {
    const yes = await ask(`Take ${c.name} over?`, [c.state === 1 ? "Its agent is disconnected (close code 4410) and its open calls go on without it." : "Its agent is away; it can no longer resume.", "The agent may connect again when you have left."], "Take over", true);
    if (!yes) return;
  }
  hand.why = "";
  new Hand(c, changed).join(c.state !== 0);
}

function changed(h) {
  if (h.id !== char) return;
  hand.why = h.why;
  shownState = "";
  version = -1;
  panel?.refresh?.();
}

// detail draws the selected tool, with its form.
function detail() {
  const tool = manifest().find((t) => t.id === selected);
  const at = $("detail");
  panel = { char, name: selected };
  if (!selected) return put(at, h("p", { class: "placeholder" }, "Select a tool to see what it wants and gives."));
  if (!tool) return put(at, h("section", {}, h("h2", {}, selected), h("p", { class: "note" }, char ? "The character's manifest has no such tool: agents that called it were told tool_unknown." : "Choose a character to see this tool's form and call it.")));
  const limits = [tool.limits?.calls_per_minute && `${tool.limits.calls_per_minute} a minute`, tool.limits?.calls_per_session && `${tool.limits.calls_per_session} a session`].filter(Boolean).join(", ");
  const facts = [["class", tool.class], ["limits", limits], ["needs", tool.requires_capability], ["input", tool.strict_input ? "strict: members that the schema does not name are refused" : ""]].filter(([, v]) => v);
  const schema = (name, s) => {
    const box = h("section", { hidden: true }, h("h3", {}, name), pretty(JSON.stringify(s)));
    return [box, h("button", { type: "button", class: "plain", "aria-expanded": "false", onclick: (e) => { box.hidden = !box.hidden; e.target.setAttribute("aria-expanded", String(!box.hidden)); } }, name)];
  };
  const [input, showInput] = schema("Input schema", tool.input_schema), [output, showOutput] = schema("Output schema", tool.output_schema);
  const recent = h("section", { class: "recent" });
  panel.recent = { element: recent, version: -1 };
  put(at, h("section", {}, h("h2", {}, h("span", { class: "mono" }, tool.id)), h("p", { class: "note" }, tool.description), h("dl", { class: "facts" }, facts.map(([k, v]) => [h("dt", {}, k), h("dd", {}, v)])), h("div", { class: "actions" }, showInput, showOutput)),
    input, output, caller(tool), recent);
}

// lately lists the last results of the tool that is shown; one can go to each.
function lately() {
  const r = panel?.recent;
  if (!r || r.version === store.statsVersion) return;
  r.version = store.statsVersion;
  const list = [];
  for (let i = store.rows.length - 1, n = 0; i >= 0 && n < 20_000 && list.length < 8; i--, n++) {
    const x = store.rows.at(i);
    if (x.type === 6 && x.char === panel.char && x.label === panel.name) list.push(x);
  }
  const key = list.map((x) => x.no).join();
  if (key === r.key) return;
  r.key = key;
  put(r.element, list.length ? h("h3", {}, "Last results") : null, list.map((x) => h("button", { type: "button", class: "plain line", onclick: () => goTo(x) },
    h("span", { class: "mono" }, clock(x.at)), h("span", { class: x.code ? "bad" : "" }, x.code ? codes[x.code] : "good"), h("span", { class: "num" }, took(x.took)))));
}

function caller(tool) {
  const f = form(tool.input_schema);
  const text = h("textarea", { rows: 8, spellcheck: "false", "aria-label": "The input as JSON", hidden: true });
  const asForm = h("button", { type: "button", "aria-pressed": "true" }, "Form"), asJSON = h("button", { type: "button", "aria-pressed": "false" }, "JSON");
  const go = h("button", { type: "submit", class: "main", id: "call" }, "Call"), why = h("span", { class: "note" });
  const result = h("div", { class: "result" });
  const key = `${char} ${tool.id}`;
  const mode = (json) => {
    if (json === !text.hidden) return;
    if (json) text.value = lay(f.read().text);
    else try { f.write(JSON.parse(text.value || "{}")); } catch { /* the form keeps what it had */ }
    text.hidden = !json;
    f.element.hidden = json;
    asForm.setAttribute("aria-pressed", String(!json));
    asJSON.setAttribute("aria-pressed", String(json));
  };
  asForm.onclick = () => mode(false);
  asJSON.onclick = () => mode(true);
  const read = () => {
    if (text.hidden) return f.read();
    try {
      const v = JSON.parse(text.value || "{}");
      return v && typeof v === "object" && !Array.isArray(v) ? { text: text.value || "{}" } : { faults: [{ path: "", message: "an input is an object", input: text }] };
    } catch (e) {
      return { faults: [{ path: "", message: "this is no JSON: " + e.message, input: text }] };
    }
  };
  const submit = async (e) => {
    e.preventDefault();
    const mine = hands.get(char);
    if (!mine?.playing || go.disabled) return;
    const got = read();
    if (got.faults) {
      put(result, h("div", { class: "plain-words" }, h("p", {}, got.faults.length === 1 ? "One thing is missing or wrong; nothing was sent." : `${got.faults.length} things are missing or wrong; nothing was sent.`), got.faults.slice(0, 8).map((x) => h("p", { class: "do" }, (x.path ? x.path + ": " : "") + x.message))));
      got.faults[0].input.focus();
      return;
    }
    go.disabled = true;
    say(why, "waiting for the game");
    const r = await mine.call(tool.id, got.text);
    results.set(key, r);
    if (results.size > 200) results.delete(results.keys().next().value);
    put(result, outcome(r));
    panel?.refresh?.();
    if (document.activeElement === document.body) go.focus(); // which it lost while it was disabled
  };
  const refresh = () => {
    const mine = hands.get(char), c = store.chars.get(char);
    go.disabled = !mine?.playing || mine.waiting.size > 0;
    say(why, mine?.playing ? (tool.requires_capability && !mine.held.has(tool.requires_capability) ? `the character does not hold ${tool.requires_capability}` : "") : !c ? "the character is gone" : mine ? "connecting" : "play the character by hand first (p)");
  };
  panel.refresh = refresh;
  if (results.has(key)) put(result, outcome(results.get(key)));
  refresh();
  return h("section", {}, h("h3", {}, "Call by hand", h("span", { class: "segments" }, asForm, asJSON)),
    h("form", { onsubmit: submit, novalidate: true }, f.element, text, h("div", { class: "actions" }, go, why)), result);
}

const lay = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

// outcome says what came of a call.
function outcome(r) {
  if (r.lost) return h("div", { class: "plain-words" }, h("p", {}, r.message));
  if (!r.ok) return explanation(r.code, r.message, `Refused or failed after ${took(r.took)}` + (r.retryable ? "; the same call may be tried again." : "."));
  const parsed = JSON.parse(r.text);
  const mended = parsed.meta?.repaired;
  return h("div", {}, h("div", { class: "plain-words good" }, h("p", {}, `Done in ${took(r.took)}${typeof parsed.meta?.latency_ms === "number" ? `, of which ${parsed.meta.latency_ms} ms in the game` : ""}.`), mended ? h("p", { class: "do" }, "The library mended the input at: " + JSON.stringify(mended)) : null), h("h3", {}, "Output"), pretty(member(r.text, "output")));
}
