// The connection to the hub. Each batch is acknowledged, so that one who cannot keep up is told of what was dropped instead of being buried.

import { store, take } from "./store.js";

const key = "aicc-inspector-token";

// The token comes behind the URL's #, which no request carries, and is kept for a reload of this tab. It does not stay in the address.
export const token = (() => {
  const given = decodeURIComponent(location.hash.slice(1));
  if (given) {
    sessionStorage.setItem(key, given);
    history.replaceState(null, "", location.pathname);
  }
  return given || sessionStorage.getItem(key) || "";
})();

export function open(name, query) {
  const url = new URL(name, location.href);
  url.protocol = "ws:";
  url.hash = "";
  for (const [k, v] of Object.entries(query ?? {})) url.searchParams.set(k, v);
  return new WebSocket(url, ["aicc-inspector", token]);
}

let socket = null;
let looking = 0;
let pause = 250;

export function connect() {
  if (!/^[\w-]{16,64}$/.test(token)) {
    store.why = "no token: open the URL that the game printed, with what stands behind its #";
    return;
  }
  let was = false;
  socket = open("feed");
  socket.onopen = () => {
    was = store.connected = true;
    pause = 250;
    look(looking);
  };
  socket.onmessage = (e) => {
    const m = JSON.parse(e.data);
    take(m);
    if (m.n) socket.send(`{"ack":${m.n}}`);
  };
  socket.onclose = (e) => {
    store.connected = false;
    store.why = was ? e.reason || "the game has gone; trying again" : "no connection: the game is not running, or this page is of an earlier run";
    setTimeout(connect, pause);
    pause = Math.min(pause * 2, 4000);
  };
}

// look says whose tools are wanted; 0: the counts of all.
export function look(char) {
  looking = char;
  store.usesOf = -1;
  if (socket?.readyState === WebSocket.OPEN) socket.send(`{"look":${char}}`);
}
