// Elements and words. Whatever a game or an agent says becomes text here, never markup.

export const $ = (id) => document.getElementById(id);

// h makes an element. Strings among the children become text; on... members of props become listeners.
export function h(tag, props, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (name === "class") e.className = value;
    else if (name in e && typeof value !== "string") e[name] = value;
    else e.setAttribute(name, value === true ? "" : value);
  }
  put(e, ...children);
  return e;
}

// put replaces what an element holds.
export function put(e, ...children) {
  e.replaceChildren(...children.flat(Infinity).filter((c) => c !== undefined && c !== null && c !== false).map((c) => (c instanceof Node ? c : shown(c))));
  return e;
}

// shown makes characters visible that would change how the text around them reads: controls, and those that turn its direction.
export function shown(text) {
  return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

// say sets an element's text if it is another one.
export function say(e, text) {
  text = shown(text);
  if (e.firstChild?.nodeValue !== text || e.childNodes.length > 1) e.textContent = text;
}

export function fontOf(e) {
  const s = getComputedStyle(e); // its font is empty where there are feature settings
  return `${s.fontWeight} ${s.fontSize} ${s.fontFamily}`;
}
const measure = document.createElement("canvas").getContext("2d");
const fitted = new Map();

// fit shortens a name in its middle until it is as wide as there is room for: names of many alike differ at their ends.
export function fit(name, room, font) {
  const key = `${font} ${room} ${name}`;
  let text = fitted.get(key);
  if (text !== undefined) return text;
  measure.font = font;
  const all = [...shown(name).slice(0, 300)];
  text = all.join("");
  for (let keep = all.length - 1; keep > 2 && measure.measureText(text).width > room; keep--) text = all.slice(0, Math.ceil(keep / 2)).join("") + "…" + all.slice(all.length - Math.floor(keep / 2)).join("");
  if (fitted.size > 5000) fitted.clear();
  fitted.set(key, text);
  return text;
}

const pad = (n, width) => String(n).padStart(width, "0");

// clock is a time of day from microseconds since 1970.
export function clock(us, ms = true) {
  const d = new Date(us / 1000);
  return `${pad(d.getHours(), 2)}:${pad(d.getMinutes(), 2)}:${pad(d.getSeconds(), 2)}` + (ms ? "." + pad(d.getMilliseconds(), 3) : "");
}

// took is a duration in microseconds, to three digits.
export function took(us) {
  if (us < 0) return "";
  if (us < 1000) return us + " µs";
  if (us < 999_500) return Number((us / 1000).toPrecision(3)) + " ms";
  return (us / 1e6).toFixed(us < 1e7 ? 2 : 1) + " s";
}

const grouped = new Intl.NumberFormat("en-US");
export const count = (n) => grouped.format(n);

// rate is a number a second.
export const rate = (n) => (n > 0 && n < 9.95 && n % 1 !== 0 ? n.toFixed(1) : count(Math.round(n)));

export function bytes(n) {
  if (n < 10_000) return count(n);
  return n < 1_024_000 ? (n / 1024).toFixed(n < 102_400 ? 1 : 0) + " K" : (n / 1_048_576).toFixed(1) + " M";
}

// ask shows a dialog and gives whether the person agreed.
export function ask(title, lines, yes, danger) {
  const d = $("dialog");
  return new Promise((resolve) => {
    const agree = h("button", { type: "submit", class: danger ? "danger" : "main", value: "yes" }, yes);
    put(d, h("form", { method: "dialog" }, h("h2", {}, title), lines.map((l) => h("p", {}, l)),
      h("div", { class: "actions" }, h("button", { type: "submit", value: "no" }, "Cancel"), agree)));
    d.returnValue = "no";
    d.addEventListener("close", () => resolve(d.returnValue === "yes"), { once: true });
    d.showModal();
    agree.focus();
  });
}
