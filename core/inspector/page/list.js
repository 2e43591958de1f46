// A list of any length with no more elements than fit: each row has a fixed height, and elements are used again.

import { h, put } from "./dom.js";

export class List {
  // of: {height, make() -> element, draw(element, item, index), count() -> n, item(i), key(item), empty() -> text or null, onselect(item), onopen(item), follow}
  constructor(element, of) {
    Object.assign(this, { element, of, pool: [], selected: null, follow: !!of.follow, dirty: true, frame: 0 });
    this.spacer = h("div", { class: "spacer" });
    this.note = h("div", { class: "empty", hidden: true });
    element.append(this.spacer, this.note);
    element.addEventListener("scroll", () => {
      if (this.of.follow && !this.follow && !this.programmed && this.atEnd()) this.follow = true;
      this.programmed = false;
      this.dirty = true;
    }, { passive: true });
    // While the list follows its end it scrolls each frame, so that a person's scrolling is told by what they do, not by where it stands.
    element.addEventListener("wheel", (e) => { if (e.deltaY < 0) this.follow = false; }, { passive: true });
    element.addEventListener("touchmove", () => { this.follow = false; }, { passive: true });
    element.addEventListener("pointerdown", (e) => { if (e.target === element && e.offsetX >= element.clientWidth) this.follow = false; });
    element.addEventListener("click", (e) => this.click(e, false));
    element.addEventListener("dblclick", (e) => this.click(e, true));
    element.addEventListener("keydown", (e) => this.key(e));
    new ResizeObserver(() => { this.dirty = true; }).observe(element);
  }

  atEnd() { return this.element.scrollTop + this.element.clientHeight >= this.of.count() * this.of.height - 1; }

  click(e, open) {
    const row = e.target.closest(".row");
    if (!row || row.parentNode !== this.element) return;
    const item = this.pool.find((p) => p.row === row)?.item;
    if (item !== undefined) this.select(item, open);
  }

  select(item, open) {
    this.selected = this.of.key(item);
    this.dirty = true;
    this.of.onselect?.(item);
    if (open) this.of.onopen?.(item);
  }

  // index finds the selected item; it may be out of the list by now.
  index() {
    if (this.selected === null) return -1;
    if (this.of.find) return this.of.find(this.selected);
    for (let i = 0, n = this.of.count(); i < n; i++) if (this.of.key(this.of.item(i)) === this.selected) return i;
    return -1;
  }

  // move selects by how many rows; what is no item of its own is passed over.
  move(by) {
    const n = this.of.count();
    if (n === 0) return;
    const now = this.index();
    const from = now >= 0 ? now : by < 0 || this.of.follow && by < 1e6 ? n : -1; // one begins at the end that the list follows
    let i = Math.max(0, Math.min(n - 1, from + by));
    const step = by > 0 ? 1 : -1;
    while (this.of.skip?.(this.of.item(i)) && i + step >= 0 && i + step < n) i += step;
    if (this.of.skip?.(this.of.item(i))) return;
    if (this.of.follow) this.follow = i === n - 1 && by > 1e6;
    this.select(this.of.item(i), false);
    this.reveal(i);
  }

  reveal(i) {
    const { height } = this.of, { clientHeight, scrollTop } = this.element;
    const top = i * height;
    if (top < scrollTop) this.scroll(top);
    else if (top + height > scrollTop + clientHeight) this.scroll(top + height - clientHeight);
    this.dirty = true;
  }

  scroll(top) {
    this.resize();
    this.programmed = Math.round(this.element.scrollTop) !== Math.round(top);
    this.element.scrollTop = top;
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.of.height) - 1);
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -1e9, g: -1e9, End: 1e9, G: 1e9 }[e.key];
    if (by) this.move(by);
    else if (e.key === "Enter" && this.index() >= 0) this.of.onopen?.(this.of.item(this.index()));
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  // removed says that n rows at the front are gone: who has scrolled back keeps what they read.
  removed(n) {
    if (!this.follow && n > 0) {
      this.shiftBy = (this.shiftBy ?? 0) + n;
      this.dirty = true;
    }
  }

  resize() {
    const tall = this.of.count() * this.of.height;
    if (tall !== this.tall) this.spacer.style.height = (this.tall = tall) + "px";
  }

  // draw is called each frame, and does something when something changed.
  draw() {
    if (!this.dirty || this.element.offsetParent === null) return;
    this.dirty = false;
    this.frame++;
    const { of, element } = this;
    const n = of.count();
    this.resize();
    const said = n === 0 ? of.empty?.() : null;
    this.note.hidden = !said;
    if (said && said !== this.said) put(this.note, (this.said = said));
    if (this.shiftBy) {
      this.scroll(Math.max(0, element.scrollTop - this.shiftBy * of.height));
      this.shiftBy = 0;
    } else if (this.follow) this.scroll(Math.max(0, n * of.height - element.clientHeight));
    const first = Math.max(0, Math.floor(element.scrollTop / of.height) - 2);
    const last = Math.min(n, Math.ceil((element.scrollTop + element.clientHeight) / of.height) + 2);
    for (let k = this.pool.length; k < last - first; k++) {
      const row = of.make();
      row.id = `${element.id}-${k}`;
      row.setAttribute("role", "option");
      this.pool.push({ row });
      element.append(row);
    }
    let active = "";
    for (let i = first; i < last; i++) {
      const slot = this.pool[i % this.pool.length];
      slot.used = this.frame;
      slot.item = of.item(i);
      if (slot.at !== i) slot.row.style.transform = `translateY(${(slot.at = i) * of.height}px)`;
      if (slot.row.hidden) slot.row.hidden = false;
      const chosen = this.selected !== null && of.key(slot.item) === this.selected;
      if (chosen) active = slot.row.id;
      const was = slot.row.getAttribute("aria-selected");
      if (was !== String(chosen)) slot.row.setAttribute("aria-selected", chosen);
      of.draw(slot.row, slot.item, i);
    }
    for (const slot of this.pool) if (slot.used !== this.frame && !slot.row.hidden) { slot.row.hidden = true; slot.item = undefined; }
    if (element.getAttribute("aria-activedescendant") !== active) active ? element.setAttribute("aria-activedescendant", active) : element.removeAttribute("aria-activedescendant");
  }
}
