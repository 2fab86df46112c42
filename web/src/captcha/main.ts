// <rc-human for="sign-in" worker="/assets/…">: the CAPTCHA. Inside a form it is solved on submit; the solution goes into a
// hidden field named "human", and the form is submitted again. With `manual`, a script calls solve().
import { solveProofOfWork } from "./proof-of-work";
import { solveWithProvider } from "./provider";
import { text } from "./translations";

export class Captcha extends HTMLElement {
  #status = document.createElement("output");
  #widget = document.createElement("div");
  #solution = document.createElement("input");
  #busy = false;

  connectedCallback(): void {
    this.#status.className = "note";
    this.#status.hidden = true;
    this.append(this.#status, this.#widget);
    const form = this.closest("form");
    if (form && !this.hasAttribute("manual")) {
      this.#solution.type = "hidden";
      this.#solution.name = "human";
      this.append(this.#solution);
      form.addEventListener("submit", (event) => void this.#onSubmit(form, event));
      // After navigating back, the old solution is spent.
      addEventListener("pageshow", () => (this.#solution.value = ""));
    }
  }

  /** Returns the solution for the server. Throws an Error whose message is for the user. */
  async solve(): Promise<string> {
    const provider = this.getAttribute("service");
    this.#show(provider ? text.providerPrompt : text.solving, true);
    try {
      return provider
        ? await solveWithProvider(provider, this.getAttribute("site-key") ?? "", this.#widget)
        : await solveProofOfWork(this.getAttribute("for") ?? "", this.getAttribute("worker") ?? "");
    } finally {
      this.#status.hidden = true;
      this.#widget.replaceChildren();
    }
  }

  async #onSubmit(form: HTMLFormElement, event: SubmitEvent): Promise<void> {
    if (this.#solution.value) {
      return;
    }
    event.preventDefault();
    if (this.#busy) {
      return;
    }
    this.#busy = true;
    try {
      this.#solution.value = await this.solve();
      form.requestSubmit(event.submitter);
    } catch (error) {
      this.#show(error instanceof Error ? error.message : String(error), false);
    } finally {
      this.#busy = false;
    }
  }

  #show(message: string, busy: boolean): void {
    this.#status.textContent = message;
    this.#status.hidden = false;
    this.#status.classList.toggle("busy", busy);
  }
}

customElements.define("rc-human", Captcha);
