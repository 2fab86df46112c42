// <rc-moderation>: keyboard shortcuts of the moderation queue. j and k move between items; other keys press the button or follow
// the link that has them in data-key. They can be turned off, which this browser remembers. Everything works without them.
const OFF = "rollcall-shortcuts-off";

class Moderation extends HTMLElement {
  #toggle: HTMLInputElement | null = null;

  readonly #onKey = (event: KeyboardEvent): void => {
    if (this.#toggle?.checked === false || event.altKey || event.ctrlKey || event.metaKey || event.isComposing || isTyping(event.target)) {
      return;
    }
    const key = event.key.toLowerCase();
    if (key === "j" || key === "k") {
      this.#move(key === "j" ? 1 : -1, event);
      return;
    }
    const target = [...this.querySelectorAll<HTMLElement>("[data-key]")].find((element) => element.dataset["key"] === key);
    if (!target) {
      return;
    }
    event.preventDefault();
    const reason = this.querySelector<HTMLTextAreaElement>("textarea[name=reason]");
    // Rejecting and hiding need a reason: the first press leads to its field.
    if (reason && (key === "r" || key === "h") && reason.value.trim() === "") {
      reason.focus();
      return;
    }
    target.click();
  };

  connectedCallback(): void {
    document.addEventListener("keydown", this.#onKey);
    const shortcuts = this.querySelector<HTMLElement>(".shortcuts");
    this.#toggle = shortcuts?.querySelector("input") ?? null;
    shortcuts?.removeAttribute("hidden");
    if (this.#toggle) {
      this.#toggle.checked = localStorage.getItem(OFF) === null;
      this.#toggle.addEventListener("change", () => {
        if (this.#toggle?.checked) {
          localStorage.removeItem(OFF);
        } else {
          localStorage.setItem(OFF, "1");
        }
      });
    }
  }

  disconnectedCallback(): void {
    document.removeEventListener("keydown", this.#onKey);
  }

  #move(by: number, event: KeyboardEvent): void {
    const items = [...this.querySelectorAll<HTMLElement>("[data-item]")];
    if (items.length === 0) {
      return;
    }
    event.preventDefault();
    const at = items.findIndex((item) => item === document.activeElement);
    const next = at < 0 ? (by > 0 ? 0 : items.length - 1) : Math.min(Math.max(at + by, 0), items.length - 1);
    items[next]?.focus();
  }
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=checkbox]), select, textarea"));
}

customElements.define("rc-moderation", Moderation);
