// JSON shown as it came: laid out and coloured from its text, so that a number keeps its digits and a broken text is shown up to where it breaks.

const token = /\s+|"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*|[{}[\],:]|[^\s"{}[\],:]+/gy;
const maxTokens = 20_000;

// layout calls out(class, text) for each piece of the text laid out. Short arrays and objects of plain values stay on one line.
export function layout(text, out) {
  const tokens = [];
  token.lastIndex = 0;
  for (let m; tokens.length < maxTokens && (m = token.exec(text)); ) if (m[0].trim()) tokens.push(m[0]);
  const rest = token.lastIndex && token.lastIndex < text.length && tokens.length === maxTokens;
  let depth = 0, inline = 0;
  const newline = () => out("", "\n" + "  ".repeat(Math.min(depth, 40)));
  for (let i = 0; i < tokens.length; i++) {
    const t = tokens[i];
    if (t === "{" || t === "[") {
      out("p", t);
      if (inline || short(tokens, i)) inline++;
      else if (tokens[i + 1] !== "}" && tokens[i + 1] !== "]") { depth++; newline(); }
    } else if (t === "}" || t === "]") {
      if (inline) inline--;
      else if (tokens[i - 1] !== "{" && tokens[i - 1] !== "[") { depth = Math.max(0, depth - 1); newline(); }
      out("p", t);
    } else if (t === ",") {
      out("p", inline ? ", " : ",");
      if (!inline) newline();
    } else if (t === ":") out("p", ": ");
    else out(t[0] === '"' ? (tokens[i + 1] === ":" ? "k" : "s") : /^[-\d]/.test(t) ? "n" : "w", t);
  }
  if (rest) out("p", "\n… the rest is not laid out");
}

// exact reads a text so that its numbers keep their digits: what a number of ours would change stays its text, which JSON.stringify gives back.
// all: also where only the spelling would change.
export function exact(text, all) {
  return JSON.parse(text, (_, v, of) => (typeof v === "number" && JSON.rawJSON && of?.source && (all ? of.source !== String(v) : /\d{16}/.test(of.source.replace(".", "")) || !Number.isFinite(v)) ? JSON.rawJSON(of.source) : v));
}

// digits gives a number as it was written.
export const digits = (v) => (JSON.isRawJSON?.(v) ? v.rawJSON : typeof v === "number" ? String(v) : JSON.stringify(v) ?? "");

// compare is below, at or above 0 as number text a is below, at or above b; whole numbers of any length.
export function compare(a, b) {
  const whole = /^-?\d+$/;
  const [x, y] = whole.test(a) && whole.test(b) ? [BigInt(a), BigInt(b)] : [Number(a), Number(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

// short says whether the bracket at i closes soon with nothing nested in it.
function short(tokens, i) {
  let length = 0;
  for (let j = i + 1; j < tokens.length && length < 60; j++) {
    const t = tokens[j];
    if (t === "}" || t === "]") return true;
    if (t === "{" || t === "[") return false;
    length += t.length + 1;
  }
  return false;
}

// pretty makes an element of a text.
export function pretty(text) {
  const pre = document.createElement("pre");
  pre.className = "json";
  layout(text, (kind, piece) => {
    if (!kind) return pre.append(piece);
    const span = document.createElement("span");
    span.className = kind;
    span.textContent = piece;
    pre.append(span);
  });
  return pre;
}

// member gives the text of an object's member, as it came; null if there is none.
export function member(text, name) {
  token.lastIndex = 0;
  let depth = 0, wanted = false, from = -1;
  for (let m, last = ""; (m = token.exec(text)); ) {
    const t = m[0];
    if (!t.trim()) continue;
    if (from >= 0 && depth === 1 && (t === "," || t === "}")) return text.slice(from, m.index).trim();
    if (t === "{" || t === "[") depth++;
    else if (t === "}" || t === "]") depth--;
    else if (t === ":" && depth === 1 && from < 0) wanted = last === `"${name}"`;
    if (wanted && t !== ":" && from < 0) from = m.index;
    last = t;
  }
  return null;
}

const telling = { 5: "input", 6: "output", 7: "payload", 8: "error" };

// compact gives the part of a message that tells most, for one line.
export function compact(row) {
  if (row.note) return row.note;
  if (row.type === 3) return row.label; // why it was closed
  const name = row.type === 6 && row.code ? "error" : telling[row.type];
  if (!name) return row.type === 1 || row.label === "manifest_update" ? "the manifest" : "";
  return (member(row.text.length > 4096 ? row.text.slice(0, 4096) : row.text, name) ?? row.text).slice(0, 200).replace(/\s+/g, " ");
}
