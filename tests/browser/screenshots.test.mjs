// The screenshots in the README. With SCREENSHOTS=1 the run overwrites the committed files.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { open, withBrowser } from "./setup.mjs";

const FOLDER = new URL("../../docs/images/", import.meta.url);
const SIZE = { width: 1200, height: 780 };
const MAX_BYTES = 150_000;

/** Width and height from the header of a PNG file. */
function dimensions(png) {
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

/** Compares the size of the screenshot with the committed file, or replaces the file. */
async function checkScreenshot(page, name) {
  const png = await page.screenshot();
  assert.ok(png.length < MAX_BYTES, `${name} has ${png.length} bytes`);
  const file = new URL(name, FOLDER);
  if (process.env.SCREENSHOTS === "1") {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, png);
  }
  assert.deepEqual(dimensions(png), SIZE);
  assert.deepEqual(dimensions(readFileSync(file)), SIZE, `run with SCREENSHOTS=1 to update ${name}`);
}

test("home page", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/", undefined, { viewport: SIZE });
    await checkScreenshot(page, "home.png");
  }));

test("playground with a response", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/playground?endpoint=listServers&sort=players&limit=1", undefined, { viewport: SIZE });
    await page.getByRole("button", { name: "Run" }).click();
    await page.locator(".tree").waitFor();
    await page.locator("#endpoints").getByRole("link", { name: "/servers/{slug}", exact: true }).click();
    await page.fill("#field-slug", await page.locator("#seen-slug option").first().getAttribute("value"));
    await page.getByRole("button", { name: "Run" }).click();
    await page.locator(".tree").waitFor();
    await page.locator("#call").evaluate((heading) => scrollTo(0, heading.getBoundingClientRect().top + scrollY - 30));
    await checkScreenshot(page, "playground.png");
  }));
