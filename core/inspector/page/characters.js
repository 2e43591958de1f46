// The characters: who plays them, and how much goes by.

import { spark } from "./chart.js";
import { $, count, fit, fontOf, h, rate, say } from "./dom.js";
import { List } from "./list.js";
import { hands } from "./play.js";
import { states, store } from "./store.js";

const everybody = { id: 0, all: true };
let items = [everybody], text = "", order = "opened", version = -1, sortedAt = 0, list, chosen;

export const characters = {
  start(element, select) {
    chosen = select;
    list = new List(element, { height: 24, make, draw, count: () => items.length, item: (i) => items[i], key: (c) => (c.heading ? "w" + c.id : c.id), skip: (c) => c.heading, onselect: (c) => !c.heading && chosen(c.id), onopen: () => $("stream").focus() });
    list.selected = 0;
    return list;
  },
  get list() { return list; },
  get items() { return items; },
  find(t) { text = t.toLowerCase(); version = -1; },
  order(o) { order = o; version = -1; },
  select(id) { list.selected = id; list.dirty = true; },
  step(by) { list.move(by); },
  frame(now) {
    const byUse = order === "busy" || order === "faults";
    if (version !== store.charsVersion || (byUse && now - sortedAt > 2000)) arrange(now);
    if (this.stats !== store.statsVersion) { this.stats = store.statsVersion; list.dirty = true; foot(); }
    if (list.dirty) measure();
    list.draw();
  },
};

// measure finds how wide names may be: somewhat less than there is, since the features of their font widen it.
let room = 0, font = "";
function measure() {
  const name = list.pool.find((p) => !p.row.hidden && p.row.children[1].className !== "wide")?.row.children[1];
  room = name ? name.clientWidth - 8 : 0;
  font ||= fontOf(list.element);
}

function arrange(now) {
  version = store.charsVersion;
  sortedAt = now;
  const some = [...store.chars.values()].filter((c) => !text || c.name.toLowerCase().includes(text));
  const by = { opened: (a, b) => a.id - b.id, name: (a, b) => a.name.localeCompare(b.name, "en", { numeric: true }) || a.id - b.id, busy: (a, b) => b.rate - a.rate || a.id - b.id, faults: (a, b) => b.faults - a.faults || a.id - b.id }[order];
  some.sort((a, b) => a.world - b.world || by(a, b));
  items = [everybody];
  let world = 0;
  for (const c of some) {
    if (c.world !== world && store.worlds.size > 1) items.push({ heading: true, id: c.world, name: store.worlds.get(c.world)?.name ?? "" });
    world = c.world;
    items.push(c);
  }
  list.dirty = true;
  foot();
}

function foot() {
  const n = [0, 0, 0];
  for (const c of store.chars.values()) n[c.state]++;
  say($("charfoot"), `${count(store.chars.size)} here, ${count(n[1])} with an agent` + (n[2] ? `, ${count(n[2])} away` : ""));
}

function make() {
  return h("div", { class: "row character" }, h("span", { class: "mark" }), h("span", {}, ""), h("canvas", { "aria-hidden": "true" }), h("span", { class: "num" }, ""));
}

function draw(e, c) {
  const [mark, name, canvas, number] = e.children;
  const state = c.all || c.heading ? "none" : hands.get(c.id)?.playing ? "mine" : c.state === 1 && c.byHand ? "hand" : states[c.state];
  if (mark.className !== "mark " + state) mark.className = "mark " + state;
  say(name, c.all ? "All characters" : c.heading ? c.name : room > 0 ? fit(c.name, room, font) : c.name);
  const cls = c.heading ? "row character world" : "row character";
  if (e.className !== cls) e.className = cls;
  const tone = c.heading || c.all ? "wide" : store.now - c.faultAt < 10e6 ? "faulty" : c.busy || c.state ? "" : "idle";
  if (name.className !== tone) name.className = tone;
  const title = c.heading || c.all ? "" : `${c.name}: ${{ mine: "played by you", hand: "played by hand in another page" }[state] ?? state}; ${count(c.in)} in, ${count(c.out)} out, ${count(c.calls)} calls, ${count(c.faults)} faults`;
  if (e.title !== title) e.title = title;
  canvas.hidden = !!(c.all || c.heading);
  if (!canvas.hidden) spark(canvas, c.history, !c.busy);
  say(number, c.heading ? "" : c.all ? rate(store.perSecond.in + store.perSecond.out) : c.rate ? (c.rate < 1 ? "<1" : count(Math.round(c.rate))) : "");
}
