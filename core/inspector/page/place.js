// Where the person is on the page: kept for a reload of this tab, by names, since numbers are another run's after a restart.

import { store } from "./store.js";

const key = "aicc-inspector-place";

const saved = (() => {
  try {
    const v = JSON.parse(sessionStorage.getItem(key) ?? "{}");
    return v && typeof v === "object" ? v : {};
  } catch {
    return {};
  }
})();

export const place = {
  view: saved.view ?? "messages", world: saved.world ?? "", character: saved.character ?? "", tool: saved.tool ?? "",
  keep(changes) {
    Object.assign(this, changes);
    sessionStorage.setItem(key, JSON.stringify({ view: this.view, world: this.world, character: this.character, tool: this.tool }));
  },
  // find gives the character that was chosen, if it is here.
  find() {
    for (const c of store.chars.values()) if (c.name === this.character && (store.worlds.get(c.world)?.name ?? "") === this.world) return c.id;
    return 0;
  },
};
