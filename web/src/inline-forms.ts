// <rc-inline-forms>: sends the forms inside it without leaving the page, and takes over what changed: this element and those with the ids
// in `also`. If that fails, the form is sent as it would be without scripts.
import { localize } from "./locale";
import { morph } from "./morph";

class InlineForms extends HTMLElement {
  #isSending = false;

  connectedCallback(): void {
    this.addEventListener("submit", (event) => {
      const form = event.target;
      if (form instanceof HTMLFormElement && form.method === "post" && !form.hasAttribute("data-whole-page")) {
        event.preventDefault();
        void this.#send(form);
      }
    });
  }

  async #send(form: HTMLFormElement): Promise<void> {
    if (this.#isSending) {
      return;
    }
    this.#isSending = true;
    try {
      const fields = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
      const response = await fetch(form.action, { method: "POST", body: fields, headers: { accept: "text/html" } });
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
      const ids = [this.id, ...(this.getAttribute("also") ?? "").split(" ")];
      const parts = ids.map((id) => [document.getElementById(id), fresh.getElementById(id)] as const);
      if (!response.ok || parts.some(([current, after]) => !current || !after)) {
        throw new Error("not the page");
      }
      for (const [current, after] of parts) {
        if (current && after) {
          morph(current, after);
          localize(current);
        }
      }
    } catch {
      // The browser shows what the server says: an error, or the page to sign in.
      form.submit();
    } finally {
      this.#isSending = false;
    }
  }
}

customElements.define("rc-inline-forms", InlineForms);
