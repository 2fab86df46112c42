// Pictures for uploads.
import { crc32, deflateSync } from "node:zlib";

function chunk(kind, data) {
  const body = Buffer.concat([Buffer.from(kind), data]);
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, crc]);
}

/** A PNG of random colours in large squares. */
export function png(width, height) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const colors = Array.from({ length: 64 }, () => Math.floor(Math.random() * 256));
  const rows = [];
  for (let y = 0; y < height; y += 1) {
    const row = [0];
    for (let x = 0; x < width; x += 1) {
      const at = ((x >> 3) + (y >> 3) * 3) % 62;
      row.push(colors[at], colors[at + 1], colors[at + 2], 255);
    }
    rows.push(Buffer.from(row));
  }
  const data = deflateSync(Buffer.concat(rows));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

/** A file as a form takes it. */
export const file = (width, height) => ({ name: "my.png", mimeType: "image/png", buffer: png(width, height) });
