// <rc-samples>: one choice of language for all code samples, remembered for the next page.

const KEY = "code-language";

function choose(language: string): void {
  for (const choice of document.querySelectorAll<HTMLInputElement>(`rc-samples input[value="${CSS.escape(language)}"]`)) {
    choice.checked = true;
  }
}

class Samples extends HTMLElement {
  connectedCallback(): void {
    this.addEventListener("change", (event) => {
      const chosen = (event.target as HTMLInputElement).value;
      // Other samples change their height: keep this one in its place.
      const before = this.getBoundingClientRect().top;
      choose(chosen);
      scrollBy({ top: this.getBoundingClientRect().top - before, behavior: "instant" });
      try {
        localStorage.setItem(KEY, chosen);
      } catch {
        // Storage may be forbidden; then the choice holds for this page.
      }
    });
    try {
      const remembered = localStorage.getItem(KEY);
      const choice = remembered && this.querySelector<HTMLInputElement>(`input[value="${CSS.escape(remembered)}"]`);
      if (choice) {
        choice.checked = true;
      }
    } catch {
      // As above.
    }
  }
}

customElements.define("rc-samples", Samples);
