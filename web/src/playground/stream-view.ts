// Shows an open stream: status, a button that stops it, and one line per event that opens to the whole event.
import { announce, copyButton } from "./copy-button";
import { byId, element } from "./dom";
import { details } from "./result";
import { fill, text as texts } from "./translations";
import { tree } from "./json-tree";

const times = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });

/** What a line shows of an event. */
interface Shown {
  at?: unknown;
  server?: { name?: unknown } | null;
  player?: { nickname?: unknown } | null;
}

export class StreamView {
  readonly parts: HTMLElement[];
  #events: unknown[] = [];
  #baseUrl: string;
  #status = element("p", { class: "soft" });
  #count = element("span");
  #list = element("ol", { class: "events" });
  #stop = element("button", { type: "button", class: "button quiet little" }, texts.stop);

  constructor(response: Response, baseUrl: string, stop: () => void) {
    this.#baseUrl = baseUrl;
    this.#stop.addEventListener("click", stop);
    const status = element("span", { class: "pill good" }, `${response.status} ${texts.ok}`);
    this.#showCount();
    this.parts = [
      element("div", { class: "outcome row stream" }, status, this.#count, this.#stop),
      this.#status,
      ...details([...response.headers]),
      element("div", { class: "bar" }, element("h3", {}, texts.eventList), copyButton(texts.copyJson, () => JSON.stringify(this.#events, null, 2))),
      this.#list,
    ];
  }

  get count(): number {
    return this.#events.length;
  }

  /** Shows a sentence about the stream and announces it. */
  setStatus(sentence: string): void {
    this.#status.textContent = sentence;
    announce(sentence);
  }

  append(type: string, event: unknown): void {
    this.#events.push(event);
    this.#list.append(this.#line(type, event));
    this.#showCount();
  }

  /** Says why the stream has ended, and takes the button away. */
  end(sentence: string): void {
    // The reader has left it for another endpoint.
    if (!this.#list.isConnected) {
      return;
    }
    const hadFocus = document.activeElement === this.#stop;
    this.#stop.remove();
    if (hadFocus) {
      byId("run").focus();
    }
    this.#status.className = "notice";
    this.setStatus(sentence);
  }

  #showCount(): void {
    this.#count.textContent = fill(this.count === 1 ? texts.event : texts.events, this.count);
  }

  #line(type: string, event: unknown): HTMLLIElement {
    const { at, server, player } = event as Shown;
    const time = typeof at === "string" ? times.format(new Date(at)) : "";
    const names = [player?.nickname, server?.name].filter((name) => typeof name === "string");
    const about = names.flatMap((name) => [" · ", element("bdi", {}, name)]);
    const summary = element("summary", {}, element("code", {}, type), " ", element("span", { class: "soft small" }, time, ...about));
    const line = element("details", {}, summary);
    line.addEventListener("toggle", () => line.append(tree(event, this.#baseUrl)), { once: true });
    return element("li", {}, line);
  }
}
