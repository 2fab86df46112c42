// <rc-live id=… from=… also="id id">: reloads the page from `from` every few seconds while it is visible, and updates this
// element and those with the ids in `also`, so that all figures of a page are from one moment.
// <rc-live parts from=…>: asks `from` for the parts of the page that changed. A part has an id and `data-tag`, the tag of its
// content; the request names the tags that the page has, and 204 says that they are current.
import { locale, localize } from "./locale";
import { morph } from "./morph";
import { text as texts } from "./translations";

const INTERVAL_MS = 5_000;
/** While nothing changes, the pause grows up to this. */
const IDLE_MS = 15_000;
const IDLE_FACTOR = 1.25;
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
  #unchanged = 0;
  readonly #onVisibilityChange = (): void => {
    if (this.getAttribute("state") === "stopped") {
      return;
    }
    if (document.visibilityState === "visible") {
      this.#unchanged = 0;
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
      const response = await fetch(this.#address(), { headers: { accept: "text/html" }, signal: request.signal });
      const text = await response.text();
      if (response.redirected || [401, 403, 404, 410].includes(response.status)) {
        // Signed out or deleted: further requests are pointless.
        state = "stopped";
      } else if (response.ok && (this.hasAttribute("parts") ? this.#updateParts(text) : this.#update(text))) {
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
      const usual = Math.min(INTERVAL_MS * IDLE_FACTOR ** this.#unchanged, IDLE_MS);
      const pause = Math.max(usual, (performance.now() - started) * REST_FACTOR) * 2 ** Math.min(this.#failures, 16);
      this.#schedule(Math.min(pause, MAX_PAUSE_MS));
    }
  }

  #address(): string {
    const from = this.getAttribute("from") ?? location.href;
    if (!this.hasAttribute("parts")) {
      return from;
    }
    const tags = [...document.querySelectorAll("[data-tag]")].map((part) => part.getAttribute("data-tag"));
    return `${from}${from.includes("?") ? "&" : "?"}have=${tags.join(".")}`;
  }

  #updateParts(text: string): boolean {
    this.#unchanged = text === "" ? this.#unchanged + 1 : 0;
    for (const fresh of new DOMParser().parseFromString(text, "text/html").querySelectorAll("[data-tag]")) {
      const current = document.getElementById(fresh.id);
      if (current) {
        localize(fresh);
        morph(current, fresh);
        current.setAttribute("data-tag", fresh.getAttribute("data-tag") ?? "");
      }
    }
    return true;
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
