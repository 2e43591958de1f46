// What the page knows: fed in batches, bounded, and looked at once a frame. Nothing here touches the document.

export const types = ["", "session_init", "session_resume", "session_close", "manifest_request", "tool_call", "tool_result", "event", "error", "heartbeat"];
export const codes = ["", "protocol_mismatch", "session_expired", "tool_unknown", "tool_unavailable", "invalid_input", "execution_failed", "timeout", "internal_error"];
export const states = ["free", "taken", "away"];
const changes = ["", "its agent has connected", "its agent has disconnected and may resume", "its agent has resumed", "its agent is gone"];
const levels = ["", "debug", "info", "warning", "error"];

export const keepRows = 50_000;
const keepText = 48 << 20; // characters of all rows
const keepFaults = 500;
const keepNames = 20_000;
export const slots = 480; // of the chart: as many are shown as there is room for
export const slotMS = 500;
export const sparks = 28;
export const kinds = ["event", "call", "result", "fault", "other"];

// Queue is an array that also loses its first ones cheaply.
export class Queue {
  items = [];
  head = 0;
  get length() { return this.items.length - this.head; }
  at(i) { return this.items[this.head + i]; }
  push(x) { this.items.push(x); }
  shift() {
    const x = this.items[this.head];
    this.items[this.head++] = undefined;
    if (this.head > 4096 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return x;
  }
  clear() { this.items = []; this.head = 0; }
}

export const store = {
  connected: false, why: "connecting", since: 0, now: 0, textLimit: 0,
  worlds: new Map(), chars: new Map(), names: new Map(), charsVersion: 0, statsVersion: 0,
  rows: new Queue(), textHeld: 0, seen: 0, epoch: 0, // epoch: another one, and all rows are others
  counts: new Array(10).fill(0), failed: 0, in: 0, out: 0, lost: 0, dropped: 0, inFlight: 0,
  faults: new Map(), faultCount: 0, faultsVersion: 0,
  tools: null, toolsOf: -1, uses: [], usesOf: -1, toolsVersion: 0,
  series: kinds.map(() => new Float64Array(slots)), slot: 0, current: kinds.map(() => 0), perSecond: { in: 0, out: 0 },
};

const listeners = new Set(); // told of each new row
export const onRow = (f) => listeners.add(f);

export function nameOf(char) { return store.names.get(char)?.name ?? (char ? "#" + char : ""); }
export function worldOf(char) { return store.names.get(char)?.worldName ?? ""; }

export function take(m) {
  if (m.t === "hello") return hello(m);
  if (m.t === "over") return void Object.assign(store, { connected: false, why: m.why });
  if (m.t !== "batch") return;
  if (m.chars) characters(m);
  if (m.stats) stats(m);
  if (m.tools) Object.assign(store, { tools: m.tools, toolsOf: m.toolsOf, toolsVersion: store.toolsVersion + 1 });
  if (m.uses) Object.assign(store, { uses: m.uses, usesOf: m.usesOf, toolsVersion: store.toolsVersion + 1 });
  chart(m);
  merge(m.rows, m.lines ?? []);
  Object.assign(store, { counts: m.counts, failed: m.failed, in: m.in, out: m.out, lost: m.lost, dropped: m.dropped, now: m.now });
}

// hello begins afresh when the hub counts from another moment; else it was only the connection that went.
let lastRow = 0;
function hello(m) {
  if (m.since !== store.since) {
    store.rows.clear();
    store.faults.clear();
    Object.assign(store, { textHeld: 0, seen: 0, epoch: store.epoch + 1, faultCount: 0, faultsVersion: store.faultsVersion + 1, counts: new Array(10).fill(0), failed: 0, in: 0, out: 0, uses: [], toolsVersion: store.toolsVersion + 1 });
    lastRow = lastLine = 0;
    charted = null;
  }
  Object.assign(store, { since: m.since, textLimit: m.text, tools: null, toolsOf: -1 });
}

function characters(m) {
  if (m.afresh) {
    store.worlds.clear();
    store.chars.clear();
  }
  for (const [id, name] of m.worlds) store.worlds.set(id, { id, name });
  for (const [id, world, name, state, byHand] of m.chars) {
    const c = store.chars.get(id) ?? { id, world, name, in: 0, out: 0, events: 0, calls: 0, inFlight: 0, faults: 0, faultAt: 0, rate: 0, last: -1, history: new Float32Array(sparks), busy: 0 };
    c.state = state;
    c.byHand = byHand > 0;
    store.chars.set(id, c);
    store.names.set(id, { name, world, worldName: store.worlds.get(world)?.name ?? "" });
  }
  for (const id of m.gone) store.chars.delete(id);
  for (const id of m.ended) store.worlds.delete(id);
  if (store.names.size > keepNames) for (const id of store.names.keys()) if (!store.chars.has(id) && store.names.size > keepNames / 2) store.names.delete(id);
  store.charsVersion++;
}

function stats(m) {
  for (const [id, i, o, events, calls, inFlight, faults] of m.stats) {
    const c = store.chars.get(id);
    if (c && faults > c.faults) c.faultAt = m.now;
    if (c) Object.assign(c, { in: i, out: o, events, calls, inFlight, faults });
  }
  store.inFlight = 0;
  for (const c of store.chars.values()) store.inFlight += c.inFlight;
  store.statsVersion++;
}

// second is called about once a second: each character's rate is what came since, by the hub's clock.
let rated = { now: 0, in: 0, out: 0, since: 0 };
export function second() {
  const seconds = (store.now - rated.now) / 1e6;
  if (rated.since !== store.since || seconds > 30) {
    rated = { now: store.now, in: store.in, out: store.out, since: store.since };
    for (const c of store.chars.values()) c.last = c.in + c.out;
    return;
  }
  if (seconds < 0.7) return;
  for (const c of store.chars.values()) {
    const all = c.in + c.out;
    const n = c.last < 0 ? 0 : Math.max(0, all - c.last) / seconds;
    if (n === 0 && c.busy === 0) { c.rate = 0; c.last = all; continue; }
    c.history.copyWithin(0, 1);
    c.history[sparks - 1] = n;
    c.busy = n > 0 ? sparks : c.busy - 1;
    c.rate = n;
    c.last = all;
  }
  store.perSecond = { in: (store.in - rated.in) / seconds, out: (store.out - rated.out) / seconds };
  rated = { now: store.now, in: store.in, out: store.out, since: store.since };
  store.statsVersion++;
}

// chart spreads what was counted since the last batch over the time since then.
let charted = null;
function chart(m) {
  const c = m.counts;
  const sums = [c[7], c[5], c[6] - m.failed, m.failed + c[8] + c[0], c[1] + c[2] + c[3] + c[4] + c[9]];
  const now = m.now / 1000 / slotMS;
  if (charted && m.now > charted.now) {
    const from = Math.max(charted.now / 1000 / slotMS, now - slots + 1);
    advance(Math.floor(now));
    const span = now - from;
    for (let k = 0; k < sums.length; k++) {
      const n = sums[k] - charted.sums[k];
      if (n <= 0 || span <= 0) continue;
      for (let s = Math.floor(from); s <= Math.floor(now); s++) store.series[k][s % slots] += n * (Math.min(s + 1, now) - Math.max(s, from)) / span;
    }
  } else if (!charted) store.slot = Math.floor(now);
  charted = { now: m.now, sums };
}

function advance(to) {
  for (let s = Math.max(store.slot + 1, to - slots + 1); s <= to; s++) for (const line of store.series) line[s % slots] = 0;
  store.slot = Math.max(store.slot, to);
}

// merge takes messages and lines in one order by time, in which each of them already is.
function merge(rows, lines) {
  let l = 0;
  for (const r of rows) {
    while (l < lines.length && lines[l][1] <= r[1]) line(lines[l++]);
    row(r);
  }
  while (l < lines.length) line(lines[l++]);
}

// row takes one message. The order of its places is the hub's.
function row([no, at, char, into, type, code, size, tick, took, label, call, note, text]) {
  if (no <= lastRow) return;
  if (lastRow && no !== lastRow + 1) keep({ no: no - 0.5, gap: no - lastRow - 1, at, char: 0, text: "" });
  lastRow = no;
  const r = { no, at, char, in: into === 1, type, code, size, tick, took, label, call, note, text };
  store.seen++;
  keep(r);
  if (code) fault(`${code}\0${char}\0${label}\0${said(r)}`, at, code, char, label, said(r), r);
}

function keep(r) {
  store.rows.push(r);
  store.textHeld += r.text.length;
  while (store.rows.length > keepRows || (store.textHeld > keepText && store.rows.length > 1)) store.textHeld -= store.rows.shift().text.length;
  for (const f of listeners) f(r);
}

// said gives the words of a fault.
export function said(r) {
  if (r.note) return r.note;
  try {
    return String(JSON.parse(r.text).error?.message ?? "");
  } catch {
    return "";
  }
}

function fault(key, at, code, char, about, text, of) {
  const f = store.faults.get(key);
  store.faultCount++;
  store.faultsVersion++;
  store.faults.delete(key); // so that the order is that of the last time
  store.faults.set(key, f ? Object.assign(f, { at, count: f.count + 1, row: of ?? f.row }) : { key, at, count: 1, code, char, about, text, row: of });
  if (store.faults.size > keepFaults) store.faults.delete(store.faults.keys().next().value);
}

let lastLine = 0;
function line([no, at, kind, level, world, char, text]) {
  if (no <= lastLine) return;
  lastLine = no;
  if (kind === 3) return keep({ no, at, char, line: true, in: false, type: 0, code: 0, size: 0, tick: 0, took: -1, label: "agent", call: "", note: changes[level] ?? "", text: "" });
  const label = kind === 2 ? "host fault" : "log " + (levels[level] ?? "");
  keep({ no, at, char, line: true, bad: kind === 2 || level >= 3, in: false, type: 0, code: 0, size: 0, tick: 0, took: -1, label, call: "", note: text, text });
  if (kind === 2 || level >= 3) fault(`${label}\0${char}\0${text}`, at, 0, char, label, text, null);
}
