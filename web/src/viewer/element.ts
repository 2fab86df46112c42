// <rc-viewer script=… skin=… model=… cape=…>: a drawn picture that a button replaces with a 3D model.
import { text } from "../translations";
import type * as module from "./main";

class ViewerElement extends HTMLElement {
  readonly #button = document.createElement("button");
  readonly #walk = document.createElement("button");
  readonly #note = document.createElement("output");
  #canvas: HTMLCanvasElement | undefined;
  #viewer: module.Viewer | undefined;
  #observer: IntersectionObserver | undefined;
  #isOnScreen = true;
  readonly #onVisibilityChange = (): void => this.#updateHidden();

  connectedCallback(): void {
    if (this.#button.isConnected) {
      return;
    }
    for (const button of [this.#button, this.#walk]) {
      button.type = "button";
      button.className = "button quiet little";
    }
    this.#button.textContent = text.show3d;
    this.#button.addEventListener("click", () => void (this.#viewer ? this.#close() : this.#open()));
    this.#walk.textContent = text.walk;
    this.#walk.hidden = true;
    this.#walk.addEventListener("click", () => this.#setWalking(this.#walk.getAttribute("aria-pressed") !== "true"));
    this.#note.className = "small soft";
    const buttons = document.createElement("div");
    buttons.className = "buttons";
    buttons.append(this.#button, this.#walk);
    this.append(buttons, this.#note);
    this.classList.add("ready");
  }

  disconnectedCallback(): void {
    this.#close();
  }

  async #open(): Promise<void> {
    this.#button.setAttribute("aria-disabled", "true");
    this.#note.textContent = text.loading3d;
    const picture = this.querySelector("img");
    const canvas = document.createElement("canvas");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", text.model3d);
    canvas.title = text.model3d;
    const { width, height } = this.getBoundingClientRect();
    try {
      const { Viewer } = (await import(this.getAttribute("script") ?? "")) as typeof module;
      this.#viewer = await Viewer.create({
        canvas,
        width: Math.round(width),
        height: Math.round(picture?.parentElement === this ? Math.min(height, picture.offsetHeight) : height),
        skin: this.getAttribute("skin") ?? "",
        model: this.getAttribute("model") === "slim" ? "slim" : "default",
        cape: this.getAttribute("cape") ?? undefined,
      });
    } catch {
      // No WebGL, or no network: the picture stays.
      this.#note.textContent = text.no3d;
      this.#button.hidden = true;
      return;
    }
    this.#note.textContent = "";
    this.#button.removeAttribute("aria-disabled");
    this.#button.textContent = text.showPicture;
    this.#canvas = canvas;
    picture?.before(canvas);
    picture?.toggleAttribute("hidden", true);
    this.#walk.hidden = false;
    this.#setWalking(!matchMedia("(prefers-reduced-motion: reduce)").matches);
    this.#watch(canvas);
    canvas.focus({ preventScroll: true });
  }

  #watch(canvas: HTMLCanvasElement): void {
    canvas.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey && this.#viewer?.onKey(event.key)) {
        event.preventDefault();
        this.#report();
      }
    });
    this.#observer = new IntersectionObserver((entries) => {
      this.#isOnScreen = entries.at(-1)?.isIntersecting ?? true;
      this.#updateHidden();
    });
    this.#observer.observe(canvas);
    document.addEventListener("visibilitychange", this.#onVisibilityChange);
    this.#report();
  }

  /** The state as attributes, for styles and tests. */
  #report(): void {
    this.setAttribute("angle", this.#viewer?.angle.toFixed(2) ?? "");
    this.toggleAttribute("moving", this.#viewer?.isMoving ?? false);
  }

  #setWalking(isWalking: boolean): void {
    this.#walk.setAttribute("aria-pressed", String(isWalking));
    this.#viewer?.walk(isWalking);
    this.#report();
  }

  #updateHidden(): void {
    this.#viewer?.hide(document.visibilityState !== "visible" || !this.#isOnScreen);
    this.#report();
  }

  #close(): void {
    this.#observer?.disconnect();
    document.removeEventListener("visibilitychange", this.#onVisibilityChange);
    this.#viewer?.dispose();
    this.#viewer = undefined;
    this.#canvas?.remove();
    this.querySelector("img")?.toggleAttribute("hidden", false);
    this.#walk.hidden = true;
    this.#button.textContent = text.show3d;
    this.removeAttribute("moving");
  }
}

customElements.define("rc-viewer", ViewerElement);
