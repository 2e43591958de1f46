// A tool called by hand: its form, and what came of each call. One may look while walking: calls of one tool, or of many, go on side by side.

import { clock, h, put, say, took } from "./dom.js";
import { explanation } from "./detail.js";
import { form } from "./form.js";
import { exact, member, pretty } from "./json.js";
import { hands, mostCalls } from "./play.js";
import { store } from "./store.js";

const keepCalls = 6; // of a tool that have a result
const keepTools = 200;
const made = new Map(); // calls by character and tool, the newest first

const lay = (text) => {
  try {
    return JSON.stringify(exact(text, true), null, 2);
  } catch {
    return text;
  }
};

// caller gives {element, refresh(), tick()} of a tool of a character: the one that was made before, so that what stands in the form stays.
const callers = new Map();
export function caller(tool, char) {
  const key = `${store.since} ${char} ${tool.id} ${JSON.stringify(tool.input_schema)} ${tool.requires_capability ?? ""}`;
  const kept = callers.get(key) ?? make(tool, char);
  callers.delete(key);
  callers.set(key, kept);
  if (callers.size > 40) callers.delete(callers.keys().next().value);
  return kept;
}

function make(tool, char) {
  const f = form(tool.input_schema);
  const text = h("textarea", { rows: 8, spellcheck: "false", "aria-label": "The input as JSON", hidden: true });
  const asForm = h("button", { type: "button", "aria-pressed": "true" }, "Form"), asJSON = h("button", { type: "button", "aria-pressed": "false" }, "JSON");
  const go = h("button", { type: "submit", class: "main", id: "call" }, "Call"), why = h("span", { class: "note" });
  const wrong = h("div", { class: "unsent" }), list = h("div", { class: "calls" });
  const key = `${store.since} ${char} ${tool.id}`; // numbers of characters are another run's after a restart
  const mode = (json) => {
    if (json === !text.hidden) return;
    if (json) text.value = lay(f.read().text);
    else try { f.write(exact(text.value || "{}", true)); } catch { /* the form keeps what it had */ }
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
  const submit = (e) => {
    e.preventDefault();
    const mine = hands.get(char);
    if (!mine?.playing || go.disabled) return;
    const got = read();
    put(wrong);
    if (got.faults) {
      put(wrong, h("div", { class: "plain-words" }, h("p", {}, got.faults.length === 1 ? "One thing is missing or wrong; nothing was sent." : `${got.faults.length} things are missing or wrong; nothing was sent.`), got.faults.slice(0, 8).map((x) => h("p", { class: "do" }, (x.path ? x.path + ": " : "") + x.message))));
      got.faults[0].input.focus();
      return;
    }
    const call = { at: Date.now() * 1000, began: performance.now(), input: got.text, result: null, element: null };
    const calls = made.get(key) ?? [];
    made.delete(key); // so that those which were used last are kept
    made.set(key, [call, ...calls]);
    if (made.size > keepTools) made.delete(made.keys().next().value);
    mine.call(tool.id, got.text).then((r) => {
      call.result = r;
      const ended = (made.get(key) ?? []).filter((c) => c.result);
      if (ended.length > keepCalls) made.set(key, made.get(key).filter((c) => !c.result || ended.indexOf(c) < keepCalls));
      mine.changed(mine);
    });
    mine.changed(mine);
  };
  const tick = () => {
    for (const c of made.get(key) ?? []) if (!c.result && c.head) say(c.head, waited(c));
  };
  const refresh = () => {
    const mine = hands.get(char), full = mine?.waiting.size >= mostCalls;
    go.disabled = !mine?.playing || full;
    say(why, mine?.playing ? (full ? `${mostCalls} calls are under way, which is the most: wait for one` : tool.requires_capability && !mine.held.has(tool.requires_capability) ? `the character does not hold ${tool.requires_capability}` : "") : !store.chars.has(char) ? "the character is gone" : mine ? "connecting" : "play the character by hand first (p)");
    const calls = made.get(key) ?? [];
    const newest = calls.find((c) => c.result);
    for (const c of calls) draw(c, c === newest || c.result?.touched);
    if (list.children.length !== calls.length || calls.some((c, i) => list.children[i] !== c.element)) put(list, calls.map((c) => c.element));
  };
  return {
    refresh, tick,
    element: h("section", {}, h("h3", {}, "Call by hand", h("span", { class: "segments" }, asForm, asJSON)),
      h("form", { onsubmit: submit, novalidate: true }, f.element, text, h("div", { class: "actions" }, go, why)), h("div", { class: "result" }, wrong, list)),
  };
}

const waited = (c) => `under way for ${Math.floor((performance.now() - c.began) / 1000)} s`;
const verdict = (r) => (r.lost ? "no result" : r.ok ? `good, ${took(r.took)}` : `${r.code}, ${took(r.took)}`);

// draw makes a call's element: one line while it is under way, then one that opens. Only the newest result stands open by itself.
function draw(c, open) {
  if (!c.element || (c.result && !c.drawn)) {
    c.drawn = !!c.result;
    c.head = h("span", { class: c.result && !c.result.ok ? "bad" : "" }, c.result ? verdict(c.result) : waited(c));
    const line = [h("span", { class: "mono" }, clock(c.at, false)), h("span", { class: "mono in" }, c.input.length > 200 ? c.input.slice(0, 200) + "…" : c.input), c.head];
    c.element = c.result ? h("details", { class: "came" }, h("summary", {}, line), outcome(c.result)) : h("div", { class: "came waits" }, line);
    if (c.result) c.element.firstChild.addEventListener("click", () => { c.result.touched = !c.element.open; });
  }
  if (c.result) c.element.open = !!open;
}

// outcome says what came of a call.
function outcome(r) {
  if (r.lost) return h("div", { class: "plain-words" }, h("p", {}, r.message));
  if (!r.ok) return explanation(r.code, r.message, `Refused or failed after ${took(r.took)}` + (again(r.meta) ? `; call again after ${again(r.meta)}.` : r.retryable ? "; the same call may be tried again." : "."));
  const { meta } = JSON.parse(r.text);
  return h("div", {}, h("div", { class: "plain-words good" }, h("p", {}, `Done in ${took(r.took)}${typeof meta?.latency_ms === "number" ? `, of which ${meta.latency_ms} ms in the game` : ""}.`), meta?.repaired ? h("p", { class: "do" }, "The library mended the input at: " + JSON.stringify(meta.repaired)) : null), h("h3", {}, "Output"), pretty(member(r.text, "output")));
}

// again says when a refused call may be made again, if the game told; never too early.
export const again = (meta) => (typeof meta?.retry_after_ms === "number" && meta.retry_after_ms > 0 ? `${(Math.ceil(meta.retry_after_ms / 100) / 10).toFixed(1)} s` : "");
