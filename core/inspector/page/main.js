// The page put together: what is chosen, the keys, the theme, and the one loop that draws.

import * as chart from "./chart.js";
import { characters } from "./characters.js";
import * as detail from "./detail.js";
import { $, clock, count, h, put, rate, say } from "./dom.js";
import { connect, look } from "./feed.js";
import { List } from "./list.js";
import { place } from "./place.js";
import { hands } from "./play.js";
import { codes, keepRows, nameOf, second, store } from "./store.js";
import { kindNames, stream } from "./stream.js";
import { tools } from "./tools.js";
import { filters, keys } from "./words.js";

const views = ["messages", "tools", "faults"];
let view = "messages", char = 0, faultList, faults = [], faultsVersion = -1, frames = 0;

function show(name) {
  view = name;
  place.keep({ view });
  for (const v of views) {
    $(v).hidden = v !== name;
    $("tab-" + v).setAttribute("aria-selected", String(v === name));
    $("tab-" + v).tabIndex = v === name ? 0 : -1;
  }
  if (name === "tools") tools.detail();
  else detail.none();
  for (const l of [stream.list, faultList]) l.dirty = true;
}

// choose shows one character alone; 0: all.
function choose(id, tool) {
  char = id;
  const c = store.chars.get(id);
  if (c || !id) place.keep({ character: c?.name ?? "", world: store.worlds.get(c?.world)?.name ?? "", tool: tool ?? "" });
  settled = true;
  characters.select(id);
  $("messages").classList.toggle("one", id !== 0);
  stream.scope(id);
  tools.scope(id, tool);
  faultsVersion = -1;
  look(id);
  say($("scope"), id ? nameOf(id) : "");
  if (view === "tools") tools.detail();
}

// settle finds again who was chosen before a reload, or before the game was started again, when numbers are others.
let settled = false, epoch = 0, settledAt = -1;
function settle() {
  if (epoch !== store.epoch) {
    if (epoch && char) {
      const { tool } = place;
      const was = { character: place.character, world: place.world, tool };
      choose(0);
      place.keep(was);
    }
    epoch = store.epoch;
    settled = !place.character;
  }
  if (settled || settledAt === store.charsVersion) return;
  settledAt = store.charsVersion;
  const id = place.find();
  if (id) choose(id, place.tool);
}

const goTo = (r) => {
  if (char && r.char !== char) choose(0);
  if (view !== "messages") show("messages");
  stream.show(r);
  detail.message(r, goTo);
};

function startFaults() {
  const cell = (c) => h("span", { class: c }, "");
  faultList = new List($("faultlist"), {
    height: 22, count: () => faults.length, item: (i) => faults[i], key: (f) => f.key, onselect: (f) => detail.fault(f, goTo), onopen: (f) => f.row && goTo(f.row),
    make: () => h("div", { class: "row faults" }, cell("mono"), cell("num"), cell("code"), cell(""), cell("mono"), cell("said")),
    draw(e, f) {
      [clock(f.at, false), count(f.count), f.code ? codes[f.code] : f.about, nameOf(f.char), f.code ? f.about : "", f.text].forEach((t, i) => say(e.children[i], t));
      e.title = f.text;
    },
    empty: () => "Nothing has gone wrong while this page was open.",
  });
}

function drawFaults() {
  say($("n-faults"), store.faultCount ? count(store.faultCount) : "");
  if (view !== "faults" || faultsVersion === store.faultsVersion) return;
  faultsVersion = store.faultsVersion;
  faults = [...store.faults.values()].filter((f) => !char || f.char === char).reverse();
  faultList.dirty = true;
}

const theme = {
  names: ["auto", "light", "dark"],
  now: localStorage.getItem("aicc-inspector-theme") ?? "auto",
  system: matchMedia("(prefers-color-scheme: dark)"),
  apply() {
    const dark = this.now === "dark" || (this.now === "auto" && this.system.matches);
    document.documentElement.toggleAttribute("data-dark", dark);
    say($("theme"), "Theme: " + this.now);
    chart.restyle();
    characters.list.dirty = true;
  },
  next() {
    this.now = this.names[(this.names.indexOf(this.now) + 1) % this.names.length];
    localStorage.setItem("aicc-inspector-theme", this.now);
    this.apply();
  },
};

function pause() {
  stream.pause(!stream.paused);
  $("pause").setAttribute("aria-pressed", String(stream.paused));
  say($("pause"), stream.paused ? "Go on" : "Pause");
}

function help() {
  const d = $("dialog");
  const pairs = (list, tag) => h("div", { class: "keys" }, list.map(([k, what]) => [h("span", {}, tag === "kbd" ? k.split(" ").map((x) => [h("kbd", {}, x), " "]).flat() : h("span", { class: "mono" }, k)), h("span", {}, what)]).flat());
  put(d, h("form", { method: "dialog" }, h("h2", {}, "Keys"), pairs(keys, "kbd"), h("h2", {}, "Filters"), pairs(filters), h("div", { class: "actions" }, h("button", { type: "submit", class: "main" }, "Close"))));
  d.showModal();
}

function onKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || $("dialog").open) return;
  const typing = e.target.closest("input,textarea,select");
  if (e.key === "Escape") {
    e.preventDefault(); // a browser would empty a field for searching
    if (typing) typing.blur();
    else if ($("detail").contains(document.activeElement)) ($(view).querySelector(".list") ?? $(view)).focus();
    else if (char) choose(0);
    return;
  }
  if (typing || (e.key === " " && e.target.closest("button"))) return;
  const action = {
    1: () => show("messages"), 2: () => show("tools"), 3: () => show("faults"), "/": () => { show("messages"); $("filter").focus(); $("filter").select(); }, c: () => $("charlist").focus(),
    m: () => { show("messages"); $("stream").focus(); }, "[": () => characters.step(-1), "]": () => characters.step(1), " ": pause, t: () => theme.next(), "?": help, p: () => { show("tools"); tools.play(); },
    j: () => focusView(1), k: () => focusView(-1), ArrowDown: () => focusView(1), ArrowUp: () => focusView(-1), g: () => focusView(-1e9), G: () => focusView(1e9),
  }[e.key];
  if (!action) return;
  e.preventDefault();
  action();
}

// focusView gives the keys to the list that is shown, and moves in it.
function focusView(by) {
  if (view === "tools") return tools.focus();
  const list = view === "faults" ? faultList : stream.list;
  list.element.focus();
  list.move(by);
}

function meters() {
  const box = (id, title) => h("div", { id: "m-" + id, title }, h("b", {}, "0"), id);
  put($("meters"), box("in", "Messages a second from agents"), box("out", "Messages a second to agents"), box("open", "Calls that have no result yet"), box("dropped", "Messages that this page was not shown, because more came than it took; counts include them"));
}

function drawMeters() {
  const set = (id, text, bad) => {
    const e = $("m-" + id);
    say(e.firstChild, text);
    e.classList.toggle("bad", !!bad);
  };
  set("in", rate(store.perSecond.in));
  set("out", rate(store.perSecond.out));
  set("open", count(store.inFlight));
  set("dropped", count(store.dropped + store.lost), store.dropped + store.lost > 0);
}

function names(playing, word) {
  const list = [...hands.values()].filter((x) => x.playing === playing);
  return list.length ? `${word} ${list.map((x) => x.name).join(", ")}` : "";
}

function drawStatus() {
  const state = store.connected ? "connected" : store.why;
  const texts = [state, store.since ? `counting since ${clock(store.since, false)}` : "", `${count(store.in + store.out)} messages`, store.rows.length >= keepRows ? `the last ${count(store.rows.length)} kept` : "", names(true, "playing"), names(false, "connecting to"), stream.paused ? "held" : stream.list.follow ? "" : "scrolled back: G goes to the end"];
  const status = $("status");
  if (status.children.length !== texts.length) put(status, texts.map(() => h("span", {}, "")));
  texts.forEach((t, i) => {
    say(status.children[i], t);
    status.children[i].hidden = !t;
  });
  const title = (store.worlds.size === 1 ? [...store.worlds.values()][0].name + " - " : "") + "aicc inspector";
  if (document.title !== title) document.title = title;
  status.firstChild.classList.toggle("bad", !store.connected);
}

function frame(now) {
  frames++;
  settle();
  stream.frame();
  characters.frame(now);
  chart.draw();
  tools.frame(view === "tools");
  drawFaults();
  faultList.draw();
  drawMeters();
  drawStatus();
  requestAnimationFrame(frame);
}

function start() {
  meters();
  const on = new Set(Object.keys(kindNames));
  put($("kinds"), Object.entries(kindNames).map(([kind, name]) => h("button", { type: "button", class: "t-" + kind, "aria-pressed": "true", onclick(e) {
    on.has(kind) ? on.delete(kind) : on.add(kind);
    e.currentTarget.setAttribute("aria-pressed", String(on.has(kind)));
    stream.kinds(on);
  } }, name)));
  stream.start($("stream"), (r) => detail.message(r, goTo));
  characters.start($("charlist"), (id) => choose(id));
  startFaults();
  tools.start($("tools"), goTo);
  chart.start($("plot"), $("legend"));
  detail.none();
  if (views.includes(place.view)) show(place.view);
  theme.apply();
  theme.system.addEventListener("change", () => theme.apply());
  for (const v of views) $("tab-" + v).addEventListener("click", () => show(v));
  document.querySelector('[role="tablist"]').addEventListener("keydown", (e) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!by || e.target.getAttribute("role") !== "tab") return;
    show(views[(views.indexOf(view) + by + views.length) % views.length]);
    $("tab-" + view).focus();
  });
  let later = 0;
  const apply = () => {
    clearTimeout(later);
    if (later) stream.filter($("filter").value);
    later = 0;
  };
  $("filter").addEventListener("input", () => { clearTimeout(later); later = setTimeout(apply, 80); });
  $("filter").addEventListener("blur", apply);
  $("filter").addEventListener("keydown", (e) => { if (e.key === "Enter") $("stream").focus(); });
  $("find").addEventListener("input", () => characters.find($("find").value));
  $("order").addEventListener("change", () => characters.order($("order").value));
  $("pause").addEventListener("click", pause);
  $("theme").addEventListener("click", () => theme.next());
  $("help").addEventListener("click", help);
  document.addEventListener("keydown", onKey);
  setInterval(second, 1000);
  connect();
  requestAnimationFrame(frame);
}

// What tests and the curious ask of the page: counts only, nothing that acts.
Object.defineProperty(window, "inspector", { value: Object.freeze({ get frames() { return frames; }, get seen() { return store.seen; }, get kept() { return store.rows.length; }, get shown() { return stream.view.length; }, get counted() { return store.in + store.out; }, get dropped() { return store.dropped; } }) });

start();
