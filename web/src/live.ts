// <rc-live id=… from=… also="id id">: reloads the page from `from` every few seconds while it is visible, and updates this
// element and those with the ids in `also`, so that all figures of a page are from one moment.
import { locale, localize } from "./locale";
import { morph } from "./morph";
import { text as texts } from "./texts";

const INTERVAL_MS = 5_000;
/** The pause is at least this many times the duration of the last request, to spare a slow server. */
const REST_FACTOR = 10;
/** Each failure doubles the pause, up to this. */
const MAX_PAUSE_MS = 300_000;

const lost = new Set<Live>();
const notice = document.createElement("p");
let updatedAt = Date.now();

/** Says on the page that its live parts are not live. Over the page, so that nothing on it moves. */
function showConnection(): void {
  if (!notice.isConnected) {
    notice.className = "notice warn connection";
    notice.setAttribute("role", "status");
    document.body.append(notice);
  }
  const isStopped = [...lost].some((part) => part.getAttribute("state") === "stopped");
  const time = new Intl.DateTimeFormat(locale, { timeStyle: "short" }).format(updatedAt);
  notice.textContent = (isStopped ? texts.stopped : texts.retrying).replace("{}", time);
  notice.hidden = lost.size === 0;
}

class Live extends HTMLElement {
  #timer = 0;
  #request: AbortController | undefined;
  #failures = 0;
  #lastHtml = "";
  readonly #onVisibilityChange = (): void => {
    if (this.getAttribute("state") === "stopped") {
      return;
    }
    if (document.visibilityState === "visible") {
      this.#schedule(0);
    } else {
      clearTimeout(this.#timer);
    }
  };

  connectedCallback(): void {
    document.addEventListener("visibilitychange", this.#onVisibilityChange);
    this.setAttribute("state", "live");
    this.#schedule(INTERVAL_MS);
  }

  disconnectedCallback(): void {
    document.removeEventListener("visibilitychange", this.#onVisibilityChange);
    clearTimeout(this.#timer);
    this.#request?.abort();
    lost.delete(this);
  }

  #schedule(pause: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#refresh(), pause);
  }

  async #refresh(): Promise<void> {
    if (this.#request || document.visibilityState !== "visible") {
      return;
    }
    const request = (this.#request = new AbortController());
    const started = performance.now();
    let state: "live" | "retrying" | "stopped" = "retrying";
    try {
      const response = await fetch(this.getAttribute("from") ?? location.href, { headers: { accept: "text/html" }, signal: request.signal });
      const text = await response.text();
      if (response.redirected || [401, 403, 404, 410].includes(response.status)) {
        // Signed out or deleted: further requests are pointless.
        state = "stopped";
      } else if (response.ok && this.#update(text)) {
        state = "live";
      }
    } catch {
      // No network or an unexpected response: try again later.
    }
    this.#request = undefined;
    this.#failures = state === "live" ? 0 : this.#failures + 1;
    if (!this.isConnected) {
      return;
    }
    this.setAttribute("state", state);
    if (state === "live") {
      updatedAt = Date.now();
      lost.delete(this);
    } else {
      lost.add(this);
    }
    if (lost.size > 0 || notice.isConnected) {
      showConnection();
    }
    if (state !== "stopped") {
      const pause = Math.max(INTERVAL_MS, (performance.now() - started) * REST_FACTOR) * 2 ** Math.min(this.#failures, 16);
      this.#schedule(Math.min(pause, MAX_PAUSE_MS));
    }
  }

  /** False if the page no longer has this element. */
  #update(text: string): boolean {
    if (text === this.#lastHtml) {
      return true;
    }
    const page = new DOMParser().parseFromString(text, "text/html");
    if (!page.getElementById(this.id)) {
      return false;
    }
    for (const id of [this.id, ...(this.getAttribute("also") ?? "").split(" ")]) {
      const [current, fresh] = [document.getElementById(id), page.getElementById(id)];
      if (current && fresh) {
        localize(fresh);
        morph(current, fresh);
      }
    }
    this.#lastHtml = text;
    return true;
  }
}

customElements.define("rc-live", Live);
