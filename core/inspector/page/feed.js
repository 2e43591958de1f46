// The connection to the hub. Each batch is acknowledged, so that one who cannot keep up is told of what was dropped instead of being buried.

import { exact, member } from "./json.js";
import { store, take } from "./store.js";

const key = "aicc-inspector-token";

// The token comes behind the URL's #, which no request carries, and is kept for a reload of this tab. It does not stay in the address.
let token = "";
function given() {
  const text = location.hash.slice(1);
  if (text) {
    sessionStorage.setItem(key, text);
    history.replaceState(null, "", location.pathname);
  }
  token = sessionStorage.getItem(key) ?? "";
  return !!text;
}
given();

// The URL of another run, opened in this tab, changes no more than what stands behind its #.
addEventListener("hashchange", () => {
  if (!given()) return;
  const old = socket;
  socket = null;
  old?.close();
  pause = 250;
  store.why = "connecting";
  connect();
});

export function open(name, query) {
  const url = new URL(name, location.href);
  url.protocol = "ws:";
  url.hash = "";
  for (const [k, v] of Object.entries(query ?? {})) url.searchParams.set(k, v);
  return new WebSocket(url, ["aicc-inspector", token]);
}

let socket = null;
let looking = 0;
let playing = "[]";
let pause = 250;
let again = 0;

export function connect() {
  clearTimeout(again);
  store.connected = false;
  if (!/^[\w-]{16,64}$/.test(token)) {
    store.why = "no token: open the URL that the game printed, with what stands behind its #";
    return;
  }
  let was = false;
  const mine = socket = open("feed");
  mine.onopen = () => {
    was = store.connected = true;
    pause = 250;
    look(looking);
    tell();
  };
  mine.onmessage = (e) => {
    if (socket !== mine) return;
    const m = JSON.parse(e.data);
    if (m.tools) m.tools = exact(member(e.data, "tools")); // schemas may bound numbers that have more digits than ours
    take(m);
    if (m.n) mine.send(`{"ack":${m.n}}`);
  };
  mine.onclose = (e) => {
    if (socket !== mine) return;
    store.connected = false;
    store.why = was ? e.reason || "the game has gone; trying again" : "no connection: the game is not running, or this page is of an earlier run";
    again = setTimeout(connect, pause);
    pause = Math.min(pause * 2, 4000);
  };
}

// look says whose tools are wanted; 0: the counts of all.
export function look(char) {
  looking = char;
  store.usesOf = -1;
  if (socket?.readyState === WebSocket.OPEN) socket.send(`{"look":${char}}`);
}

// tell says which characters this page plays, so that other pages can say so too.
export function tell(ids) {
  if (ids) playing = JSON.stringify(ids);
  if (socket?.readyState === WebSocket.OPEN) socket.send(`{"hands":${playing}}`);
}
