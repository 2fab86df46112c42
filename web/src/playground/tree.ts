// Renders JSON as a tree. Collapsed parts are rendered when opened and long lists in chunks, so that a response of a megabyte
// shows immediately.
import { element } from "./dom";

/** Entries rendered at a time. */
const CHUNK = 100;
/** Entries that are expanded initially. */
const INITIALLY_OPEN = 60;
const MAX_OPEN_DEPTH = 4;

type Entry = [name: string | undefined, value: unknown];

export function tree(value: unknown): HTMLElement {
  const budget = { entries: INITIALLY_OPEN };
  return element("ul", { class: "tree" }, item([undefined, value], 0, budget));
}

function item([name, value]: Entry, depth: number, budget: { entries: number }): HTMLLIElement {
  const label = name === undefined ? [] : [element("span", { class: "name" }, name), ": "];
  if (typeof value !== "object" || value === null) {
    return element("li", {}, ...label, leaf(value));
  }
  const entries: Entry[] = Array.isArray(value)
    ? value.map((inner, i) => [String(i), inner])
    : Object.entries(value as Record<string, unknown>);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  if (entries.length === 0) {
    return element("li", {}, ...label, `${open}${close}`);
  }
  const noun = Array.isArray(value) ? "item" : "field";
  const count = `${open} ${entries.length} ${noun}${entries.length === 1 ? "" : "s"} ${close}`;
  const details = element("details", {}, element("summary", {}, ...label, element("span", { class: "soft" }, count)));
  const fill = () => details.append(list(entries, depth + 1, budget));
  if (depth < MAX_OPEN_DEPTH && (entries.length <= budget.entries || depth < 3)) {
    budget.entries -= Math.min(entries.length, budget.entries);
    details.open = true;
    fill();
  } else {
    details.addEventListener("toggle", fill, { once: true });
  }
  return element("li", {}, details);
}

function list(entries: Entry[], depth: number, budget: { entries: number }): HTMLUListElement {
  const container = element("ul");
  const more = (from: number) => {
    container.append(...entries.slice(from, from + CHUNK).map((entry) => item(entry, depth, budget)));
    const rest = entries.length - from - CHUNK;
    if (rest > 0) {
      const button = element("button", { type: "button", class: "button quiet little" }, `${rest} more`);
      const line = element("li", {}, button);
      button.addEventListener("click", () => {
        line.remove();
        more(from + CHUNK);
      });
      container.append(line);
    }
  };
  more(0);
  return container;
}

function leaf(value: unknown): HTMLSpanElement {
  return element("span", { class: value === null ? "null" : typeof value }, JSON.stringify(value));
}
