// Messages a second over the last minutes, as bars on a canvas.

import { clock, h, put, rate, say } from "./dom.js";
import { kinds, slotMS, slots, sparks, store } from "./store.js";

const names = { event: "events/s", call: "calls/s", result: "results/s", fault: "faults/s", other: "other/s" };
let canvas, values, at, hover = -1, drawn = "", colors = {};

export function start(plot, legend) {
  canvas = plot;
  values = kinds.map(() => h("span", { class: "num" }, "0"));
  at = h("span", { class: "at num" }, "");
  put(legend, kinds.map((k, i) => h("span", {}, h("i", { class: "swatch-" + k }), names[k], values[i])), at);
  canvas.addEventListener("pointermove", (e) => { hover = e.offsetX; });
  canvas.addEventListener("pointerleave", () => { hover = -1; });
  restyle();
}

// restyle takes the theme's colours.
export function restyle() {
  const style = getComputedStyle(document.documentElement);
  colors = Object.fromEntries([...kinds, "line", "faint", "soft", "accent", "text"].map((k) => [k, style.getPropertyValue("--" + k).trim()]));
  drawn = "";
}

function sized(c) {
  const ratio = devicePixelRatio || 1;
  const w = Math.round(c.clientWidth * ratio), t = Math.round(c.clientHeight * ratio);
  if (c.width !== w || c.height !== t) { c.width = w; c.height = t; }
  const g = c.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, c.clientWidth, c.clientHeight);
  return g;
}

// top gives a round number above n for the axis.
function top(n) {
  const p = 10 ** Math.floor(Math.log10(Math.max(n, 1)));
  for (const f of [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]) if (f * p >= n) return Math.max(4, f * p);
  return n;
}

// draw is called each frame; slots move twice a second.
export function draw() {
  const last = store.slot - 1; // the one that fills is not drawn
  const key = `${last} ${hover} ${canvas.clientWidth} ${store.epoch}`;
  if (key === drawn || !canvas.clientWidth) return;
  drawn = key;
  const g = sized(canvas), width = canvas.clientWidth, height = canvas.clientHeight;
  const right = 8, left = 8, under = 14, step = Math.max(2, Math.ceil((width - left - right) / slots)), shown = Math.min(slots - 1, Math.floor((width - left - right) / step));
  const value = (k, s) => store.series[k][((s % slots) + slots) % slots] * 1000 / slotMS;
  let most = 0;
  for (let i = 0; i < shown; i++) most = Math.max(most, kinds.reduce((sum, _, k) => sum + value(k, last - i), 0));
  const limit = top(most), base = height - under, scale = (base - 6) / limit;
  g.font = "10px " + getComputedStyle(document.body).fontFamily;
  g.lineWidth = 1;
  g.strokeStyle = colors.line;
  for (const part of [0, 0.5, 1]) {
    const y = Math.round(base - part * limit * scale) + 0.5;
    g.beginPath(); g.moveTo(left, y); g.lineTo(width - right, y); g.stroke();
  }
  const x0 = width - right;
  const slotAt = hover >= 0 ? last - Math.max(0, Math.min(shown - 1, Math.floor((x0 - hover) / step))) : last;
  for (let i = 0; i < shown; i++) {
    let y = base;
    for (let k = 0; k < kinds.length; k++) {
      const tall = value(k, last - i) * scale;
      if (tall <= 0) continue;
      g.fillStyle = colors[kinds[k]];
      g.fillRect(x0 - (i + 1) * step, y - Math.max(tall, 0.75), step - (step > 2 ? 1 : 0.5), Math.max(tall, 0.75));
      y -= tall;
    }
  }
  g.fillStyle = colors.faint;
  g.textBaseline = "bottom";
  for (let seconds = 30; seconds * 1000 / slotMS < shown; seconds += 30) {
    const x = x0 - seconds * 1000 / slotMS * step;
    g.textAlign = "center";
    g.fillText(`-${seconds} s`, x, height - 1);
  }
  g.textAlign = "left";
  g.textBaseline = "top";
  const label = rate(limit) + "/s";
  g.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--panel");
  g.fillRect(left, 1, g.measureText(label).width + 4, 11);
  g.fillStyle = colors.soft;
  g.fillText(label, left, 1);
  if (hover >= 0) {
    g.fillStyle = colors.text;
    g.fillRect(x0 - (last - slotAt) * step - step / 2, 2, 1, base - 2);
  }
  // Without the pointer in it, the last second.
  kinds.forEach((_, k) => say(values[k], rate(hover >= 0 ? value(k, slotAt) : (value(k, last) + value(k, last - 1)) / 2)));
  say(at, hover >= 0 ? clock((slotAt + 1) * slotMS * 1000, false) : "");
}

// spark draws one character's last seconds.
export function spark(c, history, quiet) {
  const g = sized(c), w = c.clientWidth / sparks, tall = c.clientHeight;
  let most = 4;
  for (const n of history) most = Math.max(most, n);
  g.fillStyle = quiet ? colors.line : colors.soft;
  for (let i = 0; i < sparks; i++) {
    const y = history[i] / most * (tall - 2);
    if (y > 0) g.fillRect(i * w, tall - 1 - Math.max(1, y), Math.max(1, w - 0.6), Math.max(1, y));
  }
  g.fillStyle = colors.line;
  g.fillRect(0, tall - 1, c.clientWidth, 1);
}
