// <rc-copy>: a button that copies the code inside it.

class Copy extends HTMLElement {
  connectedCallback(): void {
    const code = this.querySelector("code");
    if (!code || !navigator.clipboard || this.querySelector("button")) {
      return;
    }
    const button = document.createElement("button");
    button.type = "button";
    button.className = "plain";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      const told = (words: string): void => {
        button.textContent = words;
        setTimeout(() => (button.textContent = "Copy"), 2_000);
      };
      navigator.clipboard.writeText(code.textContent?.trim() ?? "").then(
        () => told("Copied"),
        () => told("It could not be copied"),
      );
    });
    button.setAttribute("aria-live", "polite");
    this.append(button);
  }
}

customElements.define("rc-copy", Copy);
