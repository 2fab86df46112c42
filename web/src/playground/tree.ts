// JSON as a tree of foldable parts. What is folded is not made before it is opened, and long lists come in portions, so that
// an answer of a megabyte is there at once.
import { element } from "./dom";

/** Entries made at once. */
const PORTION = 100;
/** As many entries are open from the beginning. */
const OPEN = 60;
const DEEPEST_OPEN = 4;

type Entry = [name: string | undefined, value: unknown];

export function tree(value: unknown): HTMLElement {
  const left = { entries: OPEN };
  return element("ul", { class: "tree" }, item([undefined, value], 0, left));
}

function item([name, value]: Entry, depth: number, left: { entries: number }): HTMLLIElement {
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
  const what = Array.isArray(value) ? "item" : "field";
  const count = `${open} ${entries.length} ${what}${entries.length === 1 ? "" : "s"} ${close}`;
  const details = element("details", {}, element("summary", {}, ...label, element("span", { class: "soft" }, count)));
  const fill = () => details.append(list(entries, depth + 1, left));
  if (depth < DEEPEST_OPEN && (entries.length <= left.entries || depth < 3)) {
    left.entries -= Math.min(entries.length, left.entries);
    details.open = true;
    fill();
  } else {
    details.addEventListener("toggle", fill, { once: true });
  }
  return element("li", {}, details);
}

function list(entries: Entry[], depth: number, left: { entries: number }): HTMLUListElement {
  const made = element("ul");
  const more = (from: number) => {
    made.append(...entries.slice(from, from + PORTION).map((entry) => item(entry, depth, left)));
    const rest = entries.length - from - PORTION;
    if (rest > 0) {
      const button = element("button", { type: "button", class: "button quiet little" }, `${rest} more`);
      const line = element("li", {}, button);
      button.addEventListener("click", () => {
        line.remove();
        more(from + PORTION);
      });
      made.append(line);
    }
  };
  more(0);
  return made;
}

function leaf(value: unknown): HTMLSpanElement {
  return element("span", { class: value === null ? "null" : typeof value }, JSON.stringify(value));
}
