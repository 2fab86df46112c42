// The 3D viewer: an asset of its own, which <rc-viewer> loads when a reader asks for it.
import { SkinViewer, WalkingAnimation } from "skinview3d";

/** What the model wears: addresses, or pictures that are not uploaded yet. */
export interface Worn {
  skin: string | HTMLCanvasElement;
  model: "slim" | "default";
  cape: string | HTMLCanvasElement | undefined;
}

export interface ViewerOptions extends Worn {
  canvas: HTMLCanvasElement;
  width: number;
  height: number;
}

/** How far a key turns the model, in radians. */
const TURN = Math.PI / 12;
const MAX_TILT = Math.PI / 5;
const [MIN_ZOOM, MAX_ZOOM, ZOOM_STEP] = [0.4, 2, 0.1];
const ZOOM = 0.85;
/** A cape is seen from behind; a face from the front, a little from the side. */
const [FRONT, BACK] = [Math.PI / 8, Math.PI + Math.PI / 8];

/** Draws only when something changes, unless the model walks. */
export class Viewer {
  readonly #viewer: SkinViewer;
  readonly #start: number;
  #isWalking = false;
  #isHidden = false;
  #equipment: "cape" | "elytra" = "cape";

  private constructor(viewer: SkinViewer, start: number) {
    this.#viewer = viewer;
    this.#start = start;
    viewer.controls.enablePan = false;
    viewer.controls.enableZoom = false;
    viewer.controls.addEventListener("change", () => this.#draw());
    this.reset();
  }

  /** Rejects if the browser has no WebGL or a picture does not load. */
  static async create({ canvas, width, height, skin, model, cape }: ViewerOptions): Promise<Viewer> {
    const viewer = new SkinViewer({ canvas, width, height, zoom: ZOOM, renderPaused: true });
    try {
      await dress(viewer, { skin, model, cape });
    } catch (error) {
      viewer.dispose();
      throw error;
    }
    return new Viewer(viewer, cape ? BACK : FRONT);
  }

  /** Rejects if a picture does not load. */
  async wear(worn: Worn): Promise<void> {
    await dress(this.#viewer, worn);
    // It may have been chosen while the pictures were loading.
    this.equip(this.#equipment);
  }

  /** Shows or hides hats, sleeves and everything else around the body. */
  showLayers(isShown: boolean): void {
    this.#viewer.playerObject.skin.setOuterLayerVisible(isShown);
    this.#draw();
  }

  /** How a cape is worn, now and when the next one is loaded. */
  equip(equipment: "cape" | "elytra"): void {
    this.#equipment = equipment;
    if (this.#viewer.playerObject.backEquipment) {
      this.#viewer.playerObject.backEquipment = equipment;
    }
    this.#draw();
  }

  /** False if the key means nothing here. */
  onKey(key: string): boolean {
    const model = this.#viewer.playerObject;
    switch (key) {
      case "ArrowLeft":
        model.rotation.y -= TURN;
        break;
      case "ArrowRight":
        model.rotation.y += TURN;
        break;
      case "ArrowUp":
        model.rotation.x = Math.max(model.rotation.x - TURN, -MAX_TILT);
        break;
      case "ArrowDown":
        model.rotation.x = Math.min(model.rotation.x + TURN, MAX_TILT);
        break;
      case "+":
      case "=":
        this.#viewer.zoom = Math.min(this.#viewer.zoom + ZOOM_STEP, MAX_ZOOM);
        break;
      case "-":
        this.#viewer.zoom = Math.max(this.#viewer.zoom - ZOOM_STEP, MIN_ZOOM);
        break;
      case "Home":
        this.reset();
        break;
      default:
        return false;
    }
    this.#draw();
    return true;
  }

  get angle(): number {
    return this.#viewer.playerObject.rotation.y;
  }

  get isMoving(): boolean {
    return !this.#viewer.renderPaused;
  }

  reset(): void {
    this.#viewer.resetCameraPose();
    this.#viewer.playerObject.rotation.set(0, this.#start, 0);
    this.#viewer.zoom = ZOOM;
    this.#draw();
  }

  walk(isWalking: boolean): void {
    this.#isWalking = isWalking;
    this.#viewer.animation = isWalking ? new WalkingAnimation() : null;
    this.#update();
  }

  /** Nothing is drawn while the model cannot be seen. */
  hide(isHidden: boolean): void {
    this.#isHidden = isHidden;
    this.#update();
  }

  dispose(): void {
    this.#viewer.dispose();
  }

  #update(): void {
    this.#viewer.renderPaused = this.#isHidden || !this.#isWalking;
    this.#draw();
  }

  #draw(): void {
    if (this.#viewer.renderPaused && !this.#isHidden) {
      this.#viewer.render();
    }
  }
}

async function dress(viewer: SkinViewer, { skin, model, cape }: Worn): Promise<void> {
  await viewer.loadSkin<string | HTMLCanvasElement>(skin, { model });
  if (cape) {
    await viewer.loadCape<string | HTMLCanvasElement>(cape);
  } else {
    viewer.loadCape(null);
  }
}
