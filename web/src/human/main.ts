// <rc-human for="sign-in" worker="/assets/…">: inside a form it does the check when the form is sent, puts the solution
// into a hidden field named "human" and sends the form on. With `manual` it waits for somebody to call solve().
import { prove } from "./proof";
import { pass } from "./service";

const WORKING = "Checking that you are no robot: your browser does a little work, which takes a moment …";
const ASKING = "Please pass the check below.";

export class Human extends HTMLElement {
  #note = document.createElement("output");
  #place = document.createElement("div");
  #solution = document.createElement("input");
  #busy = false;

  connectedCallback(): void {
    this.#note.className = "note";
    this.#note.hidden = true;
    this.append(this.#note, this.#place);
    const form = this.closest("form");
    if (form && !this.hasAttribute("manual")) {
      this.#solution.type = "hidden";
      this.#solution.name = "human";
      this.append(this.#solution);
      form.addEventListener("submit", (event) => void this.#sendOn(form, event));
      // Who comes back to the form has spent what is in it.
      addEventListener("pageshow", () => (this.#solution.value = ""));
    }
  }

  /** Does the check, and gives what the server wants to see. Throws an Error whose message is for people. */
  async solve(): Promise<string> {
    const service = this.getAttribute("service");
    this.#say(service ? ASKING : WORKING, true);
    try {
      return service
        ? await pass(service, this.getAttribute("site-key") ?? "", this.#place)
        : await prove(this.getAttribute("for") ?? "", this.getAttribute("worker") ?? "");
    } finally {
      this.#note.hidden = true;
      this.#place.replaceChildren();
    }
  }

  async #sendOn(form: HTMLFormElement, event: SubmitEvent): Promise<void> {
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
    } catch (trouble) {
      this.#say(trouble instanceof Error ? trouble.message : String(trouble), false);
    } finally {
      this.#busy = false;
    }
  }

  #say(text: string, busy: boolean): void {
    this.#note.textContent = text;
    this.#note.hidden = false;
    this.#note.classList.toggle("busy", busy);
  }
}

customElements.define("rc-human", Human);
