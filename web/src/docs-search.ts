// <rc-search>: finds chapters, endpoints, parameters and fields of the reference, best match first. Chapters list other words
// that readers use for them in `data-keywords`.

import { text as texts } from "./translations";

const MAX_RESULTS = 12;

interface Place {
  title: string;
  detail: string;
  href: string;
  keywords: string;
  /** Names of parameters and fields. */
  names: string[];
  body: string;
}

class Search extends HTMLElement {
  #places: Place[] | undefined;

  connectedCallback(): void {
    const input = this.querySelector("input");
    if (!input) {
      return;
    }
    input.hidden = false;
    const [status, list] = [document.createElement("output"), document.createElement("ul")];
    status.className = "soft small";
    list.className = "found";
    list.hidden = true;
    this.append(status, list);
    const update = () => {
      const words = split(input.value);
      const found = words.length === 0 ? [] : this.#find(words);
      status.textContent = words.length > 0 && found.length === 0 ? texts.noResults : "";
      list.replaceChildren(...found.map(result));
      list.hidden = found.length === 0;
      const contents = this.parentElement?.querySelector<HTMLElement>(".toc");
      contents?.toggleAttribute("hidden", words.length > 0);
    };
    input.addEventListener("input", update);
    input.addEventListener("keydown", (event) => {
      const first = list.querySelector("a");
      if (event.key === "Enter" && first) {
        event.preventDefault();
        first.click();
      } else if (event.key === "ArrowDown" && first) {
        event.preventDefault();
        first.focus();
      } else if (event.key === "Escape") {
        input.value = "";
        update();
      }
    });
    list.addEventListener("keydown", (event) => moveFocus(event, list, input));
    document.addEventListener("keydown", (event) => {
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        input.focus();
      }
    });
  }

  #find(words: string[]): { place: Place; name: string | undefined }[] {
    this.#places ??= collect();
    const scored = this.#places.map((place) => ({ place, ...score(place, words) }));
    const matching = scored.filter(({ points }) => points > 0).sort((a, b) => b.points - a.points);
    return matching.slice(0, MAX_RESULTS);
  }
}

function split(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** All that can be found: the chapters of this page, and the links of the contents that lead to other pages. */
function collect(): Place[] {
  const places: Place[] = [];
  for (const chapter of document.querySelectorAll<HTMLElement>(".chapter[id]")) {
    const name = (cell: Element) => cell.textContent?.trim() ?? "";
    places.push({
      title: chapter.querySelector("h2, h3")?.textContent?.trim() ?? "",
      detail: chapter.querySelector(".route code")?.textContent ?? "",
      href: `#${chapter.id}`,
      keywords: chapter.dataset.keywords ?? "",
      names: [...chapter.querySelectorAll("td:first-child > code")].map(name),
      body: (chapter.querySelector(".prose")?.textContent ?? "").toLowerCase(),
    });
  }
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".contents li a:not([href^='#'])")) {
    const title = link.textContent?.trim() ?? "";
    places.push({ title, detail: "", href: link.getAttribute("href") ?? "", keywords: link.dataset.keywords ?? "", names: [], body: "" });
  }
  return places;
}

/** Points of a place; 0 unless it matches every word. With them the name of the parameter or field that matched. */
function score(place: Place, words: string[]): { points: number; name: string | undefined } {
  const [title, keywords, path] = [place.title.toLowerCase(), place.keywords.toLowerCase(), place.detail.toLowerCase()];
  const phrase = words.join(" ");
  let points = title === phrase ? 100 : title.includes(phrase) ? 40 : 0;
  points += ` ${keywords} `.includes(` ${phrase} `) ? 50 : 0;
  let matched: string | undefined;
  for (const word of words) {
    const starts = (text: string) => text.split(/[^\p{L}\p{N}-]+/u).some((part) => part.startsWith(word));
    const last = (name: string) => name.toLowerCase().split(".").at(-1)?.replace("[]", "") ?? "";
    const name = place.names.find((each) => last(each) === word) ?? place.names.find((each) => last(each).startsWith(word));
    const isExact = name !== undefined && last(name) === word;
    const best = Math.max(
      starts(title) ? 30 : 0,
      starts(keywords) ? 25 : 0,
      path.includes(word) ? 20 : 0,
      isExact ? 24 : name ? 12 : 0,
      place.body.includes(word) ? 4 : 0,
    );
    if (best === 0) {
      return { points: 0, name: undefined };
    }
    matched ??= name;
    points += best;
  }
  return { points, name: matched };
}

function result({ place, name }: { place: Place; name: string | undefined }): HTMLLIElement {
  const [item, link] = [document.createElement("li"), document.createElement("a")];
  link.href = place.href;
  link.textContent = place.title;
  const detail = [place.detail, name].filter(Boolean).join(" · ");
  if (detail) {
    const line = document.createElement("span");
    line.textContent = detail;
    link.append(line);
  }
  // A field stands in a part that is closed at first.
  link.addEventListener("click", () => {
    const chapter = place.href.startsWith("#") ? document.getElementById(place.href.slice(1)) : null;
    const hit = [...(chapter?.querySelectorAll("td:first-child > code") ?? [])].find((cell) => cell.textContent === name);
    hit?.closest("details")?.setAttribute("open", "");
  });
  item.append(link);
  return item;
}

function moveFocus(event: KeyboardEvent, list: HTMLElement, input: HTMLInputElement): void {
  const links = [...list.querySelectorAll("a")];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    (links[at + (event.key === "ArrowDown" ? 1 : -1)] ?? input).focus();
  } else if (event.key === "Escape") {
    input.focus();
  }
}

customElements.define("rc-search", Search);
