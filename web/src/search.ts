// <rc-search>: filters the chapters of the reference, and its table of contents, by the words in the field.

import { text as texts } from "./texts";

class Search extends HTMLElement {
  connectedCallback(): void {
    const input = this.querySelector("input");
    if (!input) {
      return;
    }
    input.hidden = false;
    const status = document.createElement("output");
    status.className = "soft small";
    this.append(status);
    input.addEventListener("input", () => {
      status.textContent = filter(input.value) === 0 ? texts.noResults : "";
    });
    document.addEventListener("keydown", (event) => {
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        input.focus();
      }
    });
  }
}

/** Returns the number of visible chapters. */
function filter(text: string): number {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const chapter of document.querySelectorAll<HTMLElement>(".chapter")) {
    const content = (chapter.textContent ?? "").toLowerCase();
    const matches = words.every((word) => content.includes(word));
    chapter.hidden = !matches;
    const link = document.querySelector(`.contents li a[href="#${CSS.escape(chapter.id)}"]`);
    link?.closest("li")?.toggleAttribute("hidden", !matches);
  }
  for (const group of document.querySelectorAll<HTMLElement>("section.stack")) {
    group.hidden = group.querySelector(".chapter:not([hidden])") === null;
  }
  for (const part of document.querySelectorAll<HTMLElement>(".contents .part")) {
    part.hidden = part.nextElementSibling?.querySelector("li:not([hidden])") === null;
  }
  return document.querySelectorAll(".chapter:not([hidden])").length;
}

customElements.define("rc-search", Search);
