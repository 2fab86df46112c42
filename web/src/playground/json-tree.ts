// Renders JSON as a tree. Collapsed parts are rendered when opened and long lists in chunks, so that a response of a megabyte
// shows immediately.
import { element } from "./dom";
import { fill, text as texts } from "./translations";

/** Entries rendered at a time. */
const CHUNK = 100;
/** Entries that are expanded initially. */
const INITIALLY_OPEN = 60;
const MAX_OPEN_DEPTH = 4;

type Entry = [name: string | undefined, value: unknown];

/** Where the API and its pictures are. */
let apiUrl = location.href;

export function tree(value: unknown, baseUrl: string): HTMLElement {
  apiUrl = baseUrl || location.href;
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
  const [one, many] = Array.isArray(value) ? [texts.item, texts.items] : [texts.field, texts.fields];
  const count = `${open} ${fill(entries.length === 1 ? one : many, entries.length)} ${close}`;
  const details = element("details", {}, element("summary", {}, ...label, element("span", { class: "soft" }, count)));
  const expand = () => details.append(list(entries, depth + 1, budget));
  if (depth < MAX_OPEN_DEPTH && (entries.length <= budget.entries || depth < 3)) {
    budget.entries -= Math.min(entries.length, budget.entries);
    details.open = true;
    expand();
  } else {
    details.addEventListener("toggle", expand, { once: true });
  }
  return element("li", {}, details);
}

function list(entries: Entry[], depth: number, budget: { entries: number }): HTMLUListElement {
  const container = element("ul");
  const more = (from: number) => {
    container.append(...entries.slice(from, from + CHUNK).map((entry) => item(entry, depth, budget)));
    const rest = entries.length - from - CHUNK;
    if (rest > 0) {
      const button = element("button", { type: "button", class: "button quiet little" }, fill(texts.more, rest));
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

function leaf(value: unknown): HTMLElement {
  const shown = element("span", { class: value === null ? "null" : typeof value }, JSON.stringify(value));
  const url = typeof value === "string" ? webUrl(value) : undefined;
  if (!url) {
    return shown;
  }
  const link = element("a", { href: url.href, target: "_blank", rel: "noopener noreferrer nofollow" }, shown);
  const picture = ownPicture(url);
  if (picture) {
    // Own pictures are small and safe to show; foreign ones are only linked, and the content security policy forbids them.
    const width = /^\/media\/(banner|motd)\//.test(picture) ? "190" : "24";
    link.prepend(element("img", { src: picture, alt: "", width, height: "24", loading: "lazy", class: "thumb" }));
  }
  return link;
}

/** The URL if the text is one that a browser may open. */
function webUrl(text: string): URL | undefined {
  if (!/^https?:\/\//i.test(text)) {
    return undefined;
  }
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

/** The path of a picture of this service. */
function ownPicture(url: URL): string | undefined {
  const isOwn = url.origin === new URL(apiUrl).origin || url.origin === location.origin;
  return isOwn && /^\/media\/[\w/-]+\.png$/.test(url.pathname) ? url.pathname : undefined;
}
