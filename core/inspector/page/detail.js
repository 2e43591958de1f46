// The pane on the right: a message, whole, or a fault in plain words.

import { $, bytes, clock, count, h, put, shown, took } from "./dom.js";
import { member, pretty } from "./json.js";
import { codes, nameOf, said, store, types, worldOf } from "./store.js";
import { explain } from "./words.js";

// explanation says a code in plain words, what the game said, and what to do.
export function explanation(code, words, after) {
  const [title, what, todo] = explain(code) ?? [code, "", ""];
  return h("div", { class: "plain-words" }, h("p", {}, h("b", {}, title), code && title !== code ? h("span", { class: "mono" }, "  " + code) : null), words ? h("p", {}, words) : null, h("p", { class: "do" }, what), todo ? h("p", { class: "do" }, todo) : null, after ? h("p", { class: "do" }, after) : null);
}

const facts = (list) => h("dl", { class: "facts" }, list.filter(([, v]) => v !== "" && v !== undefined).map(([k, v]) => [h("dt", {}, k), h("dd", {}, v)]));

export function none() {
  put($("detail"), h("p", { class: "placeholder" }, "Select a message to read it whole. The keys are j and k, or the arrows; ? lists all."));
}

// message shows one; go is called with the message that answers it, or that it answers, when the person wants to see that.
export function message(r, go) {
  if (r.gap) return none();
  const title = r.line ? r.label : types[r.type] || "unreadable message";
  const other = r.call ? pair(r) : null;
  const copy = h("button", { type: "button", class: "plain", onclick: () => navigator.clipboard?.writeText(r.text).then(() => { copy.textContent = "Copied"; }, () => {}) }, "Copy");
  const cut = r.size > store.textLimit && r.text.length < r.size;
  put($("detail"),
    h("section", {}, h("h2", {}, title, h("span", { class: "grow" }), other ? h("button", { type: "button", class: "plain", onclick: () => go(other) }, other.type === 5 ? "Its call" : "Its result") : null, r.line ? null : copy),
      r.line ? h("p", { class: "note" }, r.note) : null,
      r.code ? explanation(codes[r.code], said(r), later(r)) : r.bad ? explanation(r.label) : null,
      facts([["character", nameOf(r.char) + (store.worlds.size > 1 && worldOf(r.char) ? ` in ${worldOf(r.char)}` : "")], ["time", clock(r.at)], ["direction", r.line ? "" : r.in ? "from the agent" : "to the agent"],
        [{ 5: "tool", 6: "tool", 7: "topic", 3: "reason" }[r.type] ?? "", r.label], ["call", r.call], ["took", took(r.took)], ["frame", r.line ? "" : count(r.tick)], ["size", r.line ? "" : bytes(r.size) + " bytes"]].filter(([k]) => k))),
    r.line ? null : h("section", {}, cut ? h("p", { class: "note" }, `The first ${bytes(store.textLimit)} bytes of ${bytes(r.size)}.`) : null, r.note ? h("pre", { class: "json" }, shown(r.text)) : pretty(r.text)));
}

// later says when the game wants to be asked again.
function later(r) {
  const ms = r.type === 6 && /"retry_after_ms":\s*(\d+)[,}\s]/.exec(member(r.text, "meta") ?? "")?.[1];
  return ms ? `It may be called again ${(Math.ceil(ms / 100) / 10).toFixed(1)} s after this.` : "";
}

// pair finds a call's result, or a result's call, nearest to it.
function pair(r) {
  const want = r.type === 5 ? 6 : 5;
  let found = null;
  for (let i = 0; i < store.rows.length; i++) {
    const x = store.rows.at(i);
    if (x.char !== r.char || x.type !== want || x.call !== r.call) continue;
    if (want === 6 && x.at >= r.at) return x;
    if (want === 5 && x.at <= r.at) found = x;
  }
  return found;
}

export function fault(f, go) {
  put($("detail"), h("section", {}, h("h2", {}, f.about || codes[f.code] || "unreadable message", h("span", { class: "grow" }), f.row ? h("button", { type: "button", class: "plain", onclick: () => go(f.row) }, "The last message") : null),
    explanation(f.code ? codes[f.code] : f.about, f.text), facts([["character", nameOf(f.char)], ["count", count(f.count)], ["last", clock(f.at)]])));
}
