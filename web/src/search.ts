// <rc-search>: narrows the reference to what holds all the words; the list of contents follows.

class Search extends HTMLElement {
  connectedCallback(): void {
    const input = this.querySelector("input");
    if (!input) {
      return;
    }
    input.hidden = false;
    const told = document.createElement("output");
    told.className = "soft small";
    this.append(told);
    input.addEventListener("input", () => {
      const left = narrow(input.value);
      told.textContent = left === 0 ? "Nothing in the reference has all of these words." : "";
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

/** How many chapters are left. */
function narrow(text: string): number {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const chapter of document.querySelectorAll<HTMLElement>(".chapter")) {
    const content = (chapter.textContent ?? "").toLowerCase();
    const fits = words.every((word) => content.includes(word));
    chapter.hidden = !fits;
    const link = document.querySelector(`.contents li a[href="#${CSS.escape(chapter.id)}"]`);
    link?.closest("li")?.toggleAttribute("hidden", !fits);
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
