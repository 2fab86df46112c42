// <rc-copy>: adds a button that copies the code inside the element.
import { copyFrom } from "./clipboard";
import { text } from "./texts";

class Copy extends HTMLElement {
  connectedCallback(): void {
    const code = this.querySelector("code");
    if (!code || this.querySelector("button")) {
      return;
    }
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button quiet";
    button.textContent = this.getAttribute("label") ?? text.copy;
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", () => void copyFrom(button, code.textContent?.trim() ?? ""));
    this.append(button);
  }
}

customElements.define("rc-copy", Copy);
