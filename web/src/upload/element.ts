// <rc-upload script=… default-skin=…>: drag and drop, paste, suggested tags and a preview for the form inside, which works without.
import { text } from "../translations";
import type * as module from "../viewer/main";
import { drawCape, drawSkin, hasElytra, looksSlim, type Model } from "./flat-preview";

const MAX_BYTES = 512 * 1024;

class UploadElement extends HTMLElement {
  readonly #note = document.createElement("output");
  readonly #flat = document.createElement("canvas");
  readonly #buttons = document.createElement("div");
  readonly #preview = document.createElement("section");
  #texture: HTMLCanvasElement | undefined;
  #viewer: module.Viewer | undefined;
  #model3d: HTMLCanvasElement | undefined;
  #hasLayers = true;
  #isElytra = false;
  #isWalking = false;
  readonly #toggle3dButton = this.#button(text.show3d, undefined, () => void this.#toggle3d());
  readonly #layersButton = this.#toggleButton(text.outerLayer, true, (isOn) => (this.#hasLayers = isOn));
  readonly #walkButton = this.#toggleButton(text.walk, false, (isOn) => (this.#isWalking = isOn));
  readonly #elytraButton = this.#toggleButton(text.elytra, false, (isOn) => (this.#isElytra = isOn));
  readonly #onPaste = (event: ClipboardEvent): void => this.#take(event.clipboardData?.files, event);
  // On the whole page: a browser leaves the page for a file that is dropped beside the form.
  readonly #onDragOver = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes("Files")) {
      event.preventDefault();
      this.classList.add("over");
    }
  };
  readonly #onDragLeave = (event: DragEvent): void => {
    // Null: the pointer left the window, not just an element.
    if (!event.relatedTarget) {
      this.classList.remove("over");
    }
  };
  readonly #onDrop = (event: DragEvent): void => {
    this.classList.remove("over");
    this.#take(event.dataTransfer?.files, event);
  };

  connectedCallback(): void {
    if (this.#preview.isConnected || !this.#form) {
      return;
    }
    this.#flat.setAttribute("role", "img");
    this.#flat.setAttribute("aria-label", text.uploadPreview);
    this.#note.className = "small soft";
    this.#note.textContent = text.uploadHint;
    this.#buttons.className = "buttons";
    this.#preview.className = "sheet upload-preview";
    this.#preview.setAttribute("aria-label", text.uploadPreview);
    this.#preview.append(this.#note, this.#flat, this.#buttons);
    this.#flat.hidden = true;
    this.prepend(this.#preview);
    this.#buttons.append(this.#toggle3dButton, this.#layersButton, this.#walkButton, this.#elytraButton);
    this.#buttons.hidden = true;
    this.#addTags();
    this.#file?.addEventListener("change", () => void this.#show());
    this.#form.addEventListener("change", () => this.#update());
    document.addEventListener("dragover", this.#onDragOver);
    document.addEventListener("dragleave", this.#onDragLeave);
    document.addEventListener("drop", this.#onDrop);
    document.addEventListener("paste", this.#onPaste);
  }

  disconnectedCallback(): void {
    document.removeEventListener("dragover", this.#onDragOver);
    document.removeEventListener("dragleave", this.#onDragLeave);
    document.removeEventListener("drop", this.#onDrop);
    document.removeEventListener("paste", this.#onPaste);
    this.#close();
  }

  get #form(): HTMLFormElement | null {
    return this.querySelector("form");
  }

  get #file(): HTMLInputElement | null {
    return this.querySelector("input[type=file]");
  }

  get #isCape(): boolean {
    return this.querySelector<HTMLInputElement>("input[name=kind]:checked")?.value === "cape";
  }

  get #model(): Model {
    const chosen = this.querySelector<HTMLSelectElement>("select[name=model]")?.value;
    const isSlim = chosen === "slim" || (!chosen && this.#texture !== undefined && looksSlim(this.#texture));
    return isSlim ? "slim" : "default";
  }

  #button(label: string, isPressed: boolean | undefined, act: (button: HTMLButtonElement) => void): HTMLButtonElement {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button quiet little";
    button.textContent = label;
    if (isPressed !== undefined) {
      button.setAttribute("aria-pressed", String(isPressed));
    }
    button.addEventListener("click", () => act(button));
    return button;
  }

  #toggleButton(label: string, isOn: boolean, change: (isOn: boolean) => void): HTMLButtonElement {
    return this.#button(label, isOn, (button) => {
      const next = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(next));
      change(next);
      this.#update();
    });
  }

  /** Suggested tags become buttons that add them. */
  #addTags(): void {
    const field = this.querySelector<HTMLInputElement>("input[name=tags]");
    for (const tag of this.querySelectorAll<HTMLElement>("[data-tag]")) {
      const button = this.#button(tag.dataset.tag ?? "", undefined, () => {
        const tags = (field?.value ?? "").split(",").map((part) => part.trim()).filter(Boolean);
        if (field && tag.dataset.tag && !tags.includes(tag.dataset.tag)) {
          field.value = [...tags, tag.dataset.tag].join(", ");
        }
      });
      button.dataset.tag = tag.dataset.tag;
      tag.replaceWith(button);
    }
  }

  /** A dropped or pasted file goes into the field of the form. */
  #take(files: FileList | undefined, event: Event): void {
    if (!files?.length || !this.#file) {
      return;
    }
    event.preventDefault();
    this.#file.files = files;
    void this.#show();
  }

  async #show(): Promise<void> {
    const file = this.#file?.files?.[0];
    this.#texture = undefined;
    this.#flat.hidden = true;
    this.#buttons.hidden = true;
    this.#close();
    if (!file) {
      this.#note.textContent = text.uploadHint;
      return;
    }
    try {
      if (file.size > MAX_BYTES) {
        throw new Error("too large");
      }
      const picture = await createImageBitmap(file);
      if (this.#file?.files?.[0] !== file) {
        return;
      }
      const texture = document.createElement("canvas");
      [texture.width, texture.height] = [picture.width, picture.height];
      texture.getContext("2d", { willReadFrequently: true })?.drawImage(picture, 0, 0);
      this.#texture = texture;
    } catch {
      this.#note.textContent = text.uploadUnreadable;
      return;
    }
    this.#note.textContent = `${file.name}: ${this.#texture.width} × ${this.#texture.height}`;
    this.#flat.hidden = false;
    this.#buttons.hidden = false;
    this.#update();
  }

  #update(): void {
    if (!this.#texture) {
      return;
    }
    const canFly = this.#isCape && hasElytra(this.#texture);
    const isElytra = canFly && this.#isElytra;
    this.#layersButton.hidden = this.#isCape;
    this.#walkButton.hidden = !this.#viewer;
    this.#elytraButton.hidden = !canFly;
    if (this.#isCape) {
      drawCape(this.#flat, this.#texture, isElytra);
    } else {
      drawSkin(this.#flat, this.#texture, this.#model, this.#hasLayers);
    }
    if (this.#viewer) {
      void this.#viewer.wear(this.#worn).catch(() => this.#close());
      this.#viewer.showLayers(this.#hasLayers);
      this.#viewer.equip(isElytra ? "elytra" : "cape");
      this.#viewer.walk(this.#isWalking);
    }
  }

  get #worn(): module.Worn {
    const [skin, texture] = [this.getAttribute("default-skin") ?? "", this.#texture ?? ""];
    return this.#isCape ? { skin, model: "default", cape: texture } : { skin: texture, model: this.#model, cape: undefined };
  }

  async #toggle3d(): Promise<void> {
    if (this.#viewer) {
      this.#close();
      return;
    }
    const canvas = document.createElement("canvas");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", text.model3d);
    try {
      const { Viewer } = (await import(this.getAttribute("script") ?? "")) as typeof module;
      this.#viewer = await Viewer.create({ canvas, width: 280, height: 320, ...this.#worn });
    } catch {
      // No WebGL, or no network: the drawn picture stays.
      this.#note.textContent = text.no3d;
      this.#toggle3dButton.hidden = true;
      return;
    }
    canvas.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey && this.#viewer?.onKey(event.key)) {
        event.preventDefault();
      }
    });
    this.#model3d = canvas;
    this.#flat.before(canvas);
    this.#flat.hidden = true;
    this.#toggle3dButton.textContent = text.showPicture;
    this.#update();
  }

  #close(): void {
    this.#viewer?.dispose();
    this.#viewer = undefined;
    this.#model3d?.remove();
    this.#flat.hidden = this.#texture === undefined;
    this.#walkButton.hidden = true;
    this.#toggle3dButton.textContent = text.show3d;
  }
}

customElements.define("rc-upload", UploadElement);
