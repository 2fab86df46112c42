// <rc-live id=… from=…>: asks for the page again every few seconds while it is looked at, and follows what changed inside.
import { follow } from "./follow";
import { localise } from "./locale";

const EVERY = 5_000;
/** After so many times as long as the last answer took: whoever has much to add up is not asked without pause. */
const REST = 10;
/** The longest pause after failures, each of which doubles it. */
const LONGEST = 300_000;

class Live extends HTMLElement {
  #timer = 0;
  #asking: AbortController | undefined;
  #failures = 0;
  #last = "";
  readonly #look = (): void => {
    if (this.getAttribute("state") === "over") {
      return;
    }
    if (document.visibilityState === "visible") {
      this.#in(0);
    } else {
      clearTimeout(this.#timer);
    }
  };

  connectedCallback(): void {
    document.addEventListener("visibilitychange", this.#look);
    this.setAttribute("state", "live");
    this.#in(EVERY);
  }

  disconnectedCallback(): void {
    document.removeEventListener("visibilitychange", this.#look);
    clearTimeout(this.#timer);
    this.#asking?.abort();
  }

  #in(pause: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#ask(), pause);
  }

  async #ask(): Promise<void> {
    if (this.#asking || document.visibilityState !== "visible") {
      return;
    }
    const asking = (this.#asking = new AbortController());
    const began = performance.now();
    let state: "live" | "resting" | "over" = "resting";
    try {
      const response = await fetch(this.getAttribute("from") ?? location.href, { headers: { accept: "text/html" }, signal: asking.signal });
      const text = await response.text();
      if (response.redirected || [401, 403, 404, 410].includes(response.status)) {
        // Signed out, or gone: asking again brings nothing back.
        state = "over";
      } else if (response.ok && this.#take(text)) {
        state = "live";
      }
    } catch {
      // No network, or nothing we understand: later, perhaps.
    }
    this.#asking = undefined;
    this.#failures = state === "live" ? 0 : this.#failures + 1;
    if (!this.isConnected) {
      return;
    }
    this.setAttribute("state", state);
    if (state !== "over") {
      const pause = Math.max(EVERY, (performance.now() - began) * REST) * 2 ** Math.min(this.#failures, 16);
      this.#in(Math.min(pause, LONGEST));
    }
  }

  /** Whether the page still has this part. */
  #take(text: string): boolean {
    if (text === this.#last) {
      return true;
    }
    const fresh = new DOMParser().parseFromString(text, "text/html").getElementById(this.id);
    if (!fresh) {
      return false;
    }
    localise(fresh);
    follow(this, fresh);
    this.#last = text;
    return true;
  }
}

customElements.define("rc-live", Live);
