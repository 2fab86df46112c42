// <rc-copy>: a button that copies the code inside the element; added if the page has none.
import { copyToClipboard } from "./copy-to-clipboard";
import { text } from "./translations";

class Copy extends HTMLElement {
  connectedCallback(): void {
    const code = this.querySelector("code");
    if (!code) {
      return;
    }
    const button = this.querySelector("button") ?? this.#addButton();
    button.addEventListener("click", () => void copyToClipboard(button, code.textContent?.trim() ?? ""));
  }

  #addButton(): HTMLButtonElement {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button quiet";
    button.textContent = text.copy;
    button.setAttribute("aria-live", "polite");
    this.append(button);
    return button;
  }
}

customElements.define("rc-copy", Copy);
