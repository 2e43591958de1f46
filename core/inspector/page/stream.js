// The messages as they go by, filtered.

import { bytes, clock, fit, fontOf, h, say, took } from "./dom.js";
import { compact } from "./json.js";
import { List } from "./list.js";
import { codes, nameOf, onRow, Queue, store, types, worldOf } from "./store.js";

export const kindNames = { event: "Events", call: "Calls", result: "Results", fault: "Faults", session: "Session", other: "Log" };

export function kindOf(r) {
  if (r.line) return r.bad ? "fault" : "other";
  if (r.code) return "fault";
  return ["fault", "session", "session", "session", "session", "call", "result", "event", "fault", "session"][r.type];
}

// typeOf is what stands in the column of types.
export const typeOf = (r) => (r.line ? r.label : types[r.type] || "unreadable");

// compile makes a test of a filter: words with spaces between, all of which must hold; -word: must not. Quotes keep spaces.
export function compile(text) {
  const tests = [];
  for (const [, minus, name, quoted, plain] of text.matchAll(/(-?)(?:(type|tool|topic|code|dir|char|world|call|tick|about):)?(?:"([^"]*)"?|(\S+))/g)) {
    const value = (quoted ?? plain).toLowerCase();
    const has = (s) => s.toLowerCase().includes(value);
    const test = {
      type: (r) => has(typeOf(r)), about: (r) => has(r.label), tool: (r) => (r.type === 5 || r.type === 6) && has(r.label), topic: (r) => r.type === 7 && has(r.label),
      code: (r) => r.code > 0 && has(codes[r.code]), dir: (r) => !r.line && (r.in ? "in" : "out") === value, char: (r) => has(nameOf(r.char)), world: (r) => has(worldOf(r.char)),
      call: (r) => r.call.toLowerCase() === value, tick: (r) => String(r.tick) === value,
    }[name] ?? ((r) => has(r.text) || has(r.label) || has(r.note) || has(nameOf(r.char)) || has(typeOf(r)));
    tests.push(minus ? (r) => !test(r) : test);
  }
  return (r) => tests.every((t) => t(r));
}

const view = new Queue();
let match = () => true;
let shownKinds = new Set(Object.keys(kindNames));
let char = 0;
let paused = false;
let epoch = 0;
let list;

const passes = (r) => (r.gap ? char === 0 : (!char || r.char === char) && shownKinds.has(kindOf(r)) && match(r));

export const stream = {
  start(element, select) {
    list = new List(element, {
      height: 20, follow: true, make, draw, count: () => view.length, item: (i) => view.at(i), key: (r) => r.no + (r.line ? "l" : ""), find, skip: (r) => r.gap, onselect: select,
      onopen: () => document.getElementById("detail").focus(),
      empty: () => (store.seen ? "No message that is kept passes the filter." : "Nothing has gone by yet. Messages appear here from now on: the game counts and keeps them only while this page is open."),
    });
    onRow((r) => {
      if (!paused && passes(r)) {
        view.push(r);
        list.dirty = true;
      }
    });
    return list;
  },
  get list() { return list; },
  get view() { return view; },
  get paused() { return paused; },
  filter(text) { match = compile(text); refilter(); },
  kinds(set) { shownKinds = set; refilter(); },
  scope(c) { char = c; refilter(); },
  pause(on) {
    paused = on;
    if (!on) { list.follow = true; refilter(); }
  },
  // frame drops from the view what is no longer kept.
  frame() {
    if (epoch !== store.epoch) { epoch = store.epoch; refilter(); }
    if (!paused) {
      const oldest = store.rows.length ? store.rows.at(0).at : Infinity;
      let n = 0;
      while (view.length && view.at(0).at < oldest) { view.shift(); n++; }
      list.removed(n);
    }
    measure();
    list.draw();
  },
  show(r) {
    if (!passes(r)) {
      list.selected = null;
      list.dirty = true;
      return;
    }
    list.follow = false;
    list.select(r, false);
    list.reveal(list.index());
  },
};

function refilter() {
  view.clear();
  for (let i = 0; i < store.rows.length; i++) if (passes(store.rows.at(i))) view.push(store.rows.at(i));
  if (list) list.dirty = true;
}

// find looks from the end, near which one mostly reads.
function find(key) {
  for (let i = view.length - 1; i >= 0; i--) if (list.of.key(view.at(i)) === key) return i;
  return -1;
}

function make() {
  const cell = (c) => h("i", { class: c }, "");
  return h("div", { class: "row messages" }, cell("time"), cell("dir"), cell("who"), cell("type"), cell("about"), cell("content"), cell("num"), cell("num"));
}

// measure finds how wide names may be.
let room = 0, font = "", measured = "";
function measure() {
  const key = `${innerWidth} ${list.element.clientWidth} ${char === 0}`;
  const first = list.pool[0]?.row;
  if (measured === key || !first || first.hidden || !first.children[2].clientWidth) return;
  measured = key;
  room = first.children[2].clientWidth;
  font = fontOf(first);
  list.dirty = true;
}

function draw(e, r) {
  const name = room ? fit(nameOf(r.char), room, font) : nameOf(r.char);
  if (e.item === r && e.nameShown === name) return;
  e.item = r;
  e.nameShown = name;
  const [time, dir, who, type, about, content, ms, size] = e.children;
  const kind = r.gap ? "fault" : kindOf(r);
  const c = `row messages t-${kind}`;
  if (e.className !== c) e.className = c;
  say(time, clock(r.at));
  say(dir, r.gap || r.line ? "" : r.in ? "→" : "←");
  say(who, name);
  who.title = name === nameOf(r.char) ? "" : nameOf(r.char);
  say(type, r.gap ? "gap" : r.line ? (r.label === "agent" ? "agent" : r.label.startsWith("log") ? r.label.slice(4) : "fault") : typeOf(r));
  say(about, r.line || r.gap ? "" : r.code && r.type !== 6 ? codes[r.code] : r.type === 3 ? "" : r.label);
  say(content, r.gap ? `${r.gap} messages were not shown here: more came than this page took` : (r.preview ??= compact(r)));
  say(ms, r.took >= 0 ? took(r.took) : "");
  say(size, r.line || r.gap ? "" : bytes(r.size));
}
