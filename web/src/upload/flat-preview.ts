// Draws an uploaded skin or cape flat, from the front and from behind: the preview where there is no WebGL.

/** A face of the body: place in the figure, place in the texture, place of its outer layer, size. */
type Face = [x: number, y: number, u: number, v: number, outerU: number, outerV: number, width: number, height: number];

/** Width of one figure and the gap between both, in pixels of the texture. */
const [FIGURE, GAP, HEIGHT] = [16, 4, 32];
const SCALE = 8;

export type Model = "slim" | "default";

function faces(isBack: boolean, model: Model): Face[] {
  const arm = model === "slim" ? 3 : 4;
  // Behind the front face of a box come its left side and its back.
  const turn = (depth: number, width: number): number => (isBack ? depth + width : 0);
  const face = (x: number, y: number, u: number, v: number, outer: [number, number], width: number, height: number, depth: number): Face => {
    const by = turn(depth, width);
    return [x, y, u + by, v, outer[0] + by, outer[1], width, height];
  };
  const [right, left] = [face(4 - arm, 8, 44, 20, [44, 36], arm, 12, 4), face(12, 8, 36, 52, [52, 52], arm, 12, 4)];
  const [rightLeg, leftLeg] = [face(4, 20, 4, 20, [4, 36], 4, 12, 4), face(8, 20, 20, 52, [4, 52], 4, 12, 4)];
  const all = [face(4, 0, 8, 8, [40, 8], 8, 8, 8), face(4, 8, 20, 20, [20, 36], 8, 12, 4), right, left, rightLeg, leftLeg];
  // Seen from behind, left and right change places.
  return isBack ? all.map(([x, ...rest]) => [FIGURE - x - rest[5], ...rest] as Face) : all;
}

/** Whether the columns that slim arms do not have are transparent. */
export function looksSlim(texture: HTMLCanvasElement): boolean {
  const pixels = texture.height === 64 ? texture.getContext("2d")?.getImageData(54, 20, 2, 12).data : undefined;
  return pixels?.every((value, at) => at % 4 !== 3 || value === 0) ?? false;
}

export function drawSkin(canvas: HTMLCanvasElement, texture: HTMLCanvasElement, model: Model, withLayers: boolean): void {
  const context = prepare(canvas, (2 * FIGURE + GAP) * SCALE, HEIGHT * SCALE);
  const isOld = texture.height === 32;
  for (const isBack of [false, true]) {
    const start = isBack ? FIGURE + GAP : 0;
    for (const [x, y, u, v, outerU, outerV, width, height] of faces(isBack, isOld ? "default" : model)) {
      const draw = (fromU: number, fromV: number): void =>
        context.drawImage(texture, fromU, fromV, width, height, (start + x) * SCALE, y * SCALE, width * SCALE, height * SCALE);
      // Old skins have one arm and one leg, and a layer around the head only.
      draw(isOld && v === 52 ? u + (u >= 32 ? 8 : -16) : u, isOld && v === 52 ? 20 : v);
      if (withLayers && (!isOld || outerV === 8)) {
        draw(outerU, outerV);
      }
    }
  }
}

/** Pixels of the texture for each pixel of a cape of the usual size. */
function unitOf(texture: HTMLCanvasElement): number {
  const sizes = [[64, 32], [46, 22], [22, 17]] as const;
  const size = sizes.find(([width, height]) => texture.width % width === 0 && texture.height * width === texture.width * height);
  return texture.width / (size?.[0] ?? 64);
}

/** The outside of a wing: place and size in pixels of a cape. */
const [WING_U, WING_V, WING_WIDTH, WING_HEIGHT] = [36, 2, 10, 20];

/** Whether wings are drawn on the texture: small capes have no place for them, others leave it empty. */
export function hasElytra(texture: HTMLCanvasElement): boolean {
  const unit = unitOf(texture);
  // Beyond the edge of the texture all pixels are transparent.
  const pixels = texture.getContext("2d")?.getImageData(WING_U * unit, WING_V * unit, WING_WIDTH * unit, WING_HEIGHT * unit).data;
  return pixels?.some((value, at) => at % 4 === 3 && value > 0) ?? false;
}

/** The outside and the inside of a cape, or both wings of the elytra. */
export function drawCape(canvas: HTMLCanvasElement, texture: HTMLCanvasElement, isElytra: boolean): void {
  const unit = unitOf(texture);
  const [width, height] = isElytra ? [WING_WIDTH, WING_HEIGHT] : [10, 16];
  const context = prepare(canvas, (2 * width + GAP) * SCALE, height * SCALE);
  const draw = (u: number, v: number, x: number): void =>
    context.drawImage(texture, u * unit, v * unit, width * unit, height * unit, x * SCALE, 0, width * SCALE, height * SCALE);
  if (!isElytra) {
    draw(1, 1, 0);
    draw(12, 1, width + GAP);
    return;
  }
  draw(WING_U, WING_V, 0);
  // The other wing mirrors the first.
  context.translate(canvas.width, 0);
  context.scale(-1, 1);
  draw(WING_U, WING_V, 0);
}

function prepare(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (!context) {
    throw new Error("no 2D canvas");
  }
  context.imageSmoothingEnabled = false;
  return context;
}
