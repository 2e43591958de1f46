// The tools of a character, or of all, with what was counted of them; and one of them called by hand.

import { caller } from "./call.js";
import { $, ask, clock, count, h, put, say, took } from "./dom.js";
import { pretty } from "./json.js";
import { place } from "./place.js";
import { Hand, hands } from "./play.js";
import { codes, states, store } from "./store.js";

let char = 0, selected = null, version = -1, shownState = "", panel = null;
const rows = new Map();
let table, body, bar, note, goTo;
const whys = new Map(); // why one plays a character no longer
const run = (id) => `${store.since} ${id}`; // numbers are other characters' after a restart

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
  scope(c, tool) { char = c; version = -1; shownState = ""; selected = tool || null; panel = null; rows.clear(); put(body); },
  get selected() { return selected; },
  focus() { (body.querySelector('[aria-selected="true"]') ?? body.firstElementChild)?.focus(); },
  frame(visible) {
    say($("n-tools"), char && store.toolsOf === char ? String(store.tools.length) : "");
    if (!visible) return;
    hand();
    lately();
    panel?.call?.tick();
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
      row = h("tr", { tabindex: "-1", "aria-selected": String(name === selected), onclick: () => select(name), onfocus: () => select(name) }, new Array(9).fill(0).map((_, i) => h("td", { class: i > 1 && i < 8 ? "num" : i === 8 ? "mono last" : i === 0 ? "mono" : "" }, "")));
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
  if (selected && (!panel || panel.char !== char || !panel.call && classes.has(selected))) detail();
}

function select(name) {
  if (selected === name && panel?.char === char && panel.name === name) return;
  selected = name;
  if (char) place.keep({ tool: name });
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
  const state = !char ? "all" : !c ? "gone" : mine ? (mine.playing ? "mine" : "joining") : c.state === 1 && c.byHand ? "other" : states[c.state];
  const why = whys.get(run(char)) ?? "";
  const key = `${char} ${state} ${c?.name} ${why}`;
  if (key === shownState) return;
  shownState = key;
  const button = (text, on, cls) => h("button", { type: "button", id: "hand", class: cls ?? "", onclick: on }, text);
  const parts = {
    all: [h("span", { class: "who" }, "Counts of all characters together. Choose one to see what it can do and to play it by hand.")],
    gone: [h("span", { class: "who" }, "This character is no longer here.")],
    free: [h("b", {}, c?.name), h("span", { class: "who" }, "Nobody plays it."), h("div", { class: "grow" }), button("Play by hand", () => play())],
    taken: [h("b", {}, c?.name), h("span", { class: "who" }, "An agent plays it."), h("div", { class: "grow" }), button("Take over…", () => play())],
    other: [h("b", {}, c?.name), h("span", { class: "who" }, "Another page of the inspector plays it by hand."), h("div", { class: "grow" }), button("Take over…", () => play())],
    away: [h("b", {}, c?.name), h("span", { class: "who" }, "Its agent is away and may resume."), h("div", { class: "grow" }), button("Take over…", () => play())],
    joining: [h("b", {}, c?.name), h("span", { class: "who" }, mine?.take ? "Taking over." : "Connecting."), h("div", { class: "grow" }), button("Stop", () => mine.leave())],
    mine: [h("b", {}, c?.name), h("span", { class: "who" }, "You play it."), h("div", { class: "grow" }), button("Leave", () => mine.leave())],
  }[state];
  put(bar, parts, why && state !== "mine" && state !== "joining" ? h("span", { class: "who why" }, why) : null);
}

// play makes the page the character's agent, or asks first where that ends another one's play.
async function play() {
  const c = store.chars.get(char);
  if (!c || hands.has(char)) return;
  if (c.state !== 0) {
    const yes = await ask(`Take ${c.name} over?`, [c.state === 1 && c.byHand ? "Another page plays it by hand: that page is disconnected (close code 4410)." : c.state === 1 ? "Its agent is disconnected (close code 4410) and its open calls go on without it." : "Its agent is away; it can no longer resume.", c.byHand ? "" : "The agent may connect again when you have left."], "Take over", true);
    if (!yes) return;
  }
  whys.delete(run(char));
  new Hand(c, changed).join(c.state !== 0);
}

function changed(h) {
  if (h.why) whys.set(run(h.id), h.why);
  else whys.delete(run(h.id));
  if (h.id !== char) return;
  shownState = "";
  version = -1;
  panel?.call?.refresh();
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
  panel.call = caller(tool, char);
  panel.call.refresh();
  put(at, h("section", {}, h("h2", {}, h("span", { class: "mono" }, tool.id)), h("p", { class: "note" }, tool.description), h("dl", { class: "facts" }, facts.map(([k, v]) => [h("dt", {}, k), h("dd", {}, v)])), h("div", { class: "actions" }, showInput, showOutput)),
    input, output, panel.call.element, recent);
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
