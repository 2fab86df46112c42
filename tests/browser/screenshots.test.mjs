// The screenshots in the README. With SCREENSHOTS=1 the run overwrites the committed files. Beside each picture, a text file holds the
// wording of the page, so that a picture of an old page is noticed: pixels differ from run to run, words do not.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { open, withBrowser } from "./setup.mjs";

const FOLDER = new URL("../../docs/images/", import.meta.url);
const SIZE = { width: 1200, height: 780 };
const MAX_BYTES = 150_000;
const RENEW = "renew the pictures with: SCREENSHOTS=1 scripts/browser target/debug/rollcall tests/browser/screenshots.test.mjs";

/** Width and height from the header of a PNG file. */
function dimensions(png) {
  return { width: png.readUInt32BE(16), height: png.readUInt32BE(20) };
}

/** Navigation, headings, labels and buttons of a page, one per line. Data is left out, it differs from run to run. */
async function wording(page) {
  const elements = page.locator(":is(nav a, h1, h2, label, legend, summary, button):not(.tree *)").filter({ visible: true });
  const texts = await elements.evaluateAll((all) => all.map((element) => [element.localName, element.innerText]));
  const lines = texts.map(([name, text]) => `${name}: ${text.replace(/\s+/g, " ").trim().replace(/\d[\d,.]*/g, "0")}\n`);
  return lines.join("");
}

/** Compares the size and the wording of the screenshot with the committed files, or replaces them. */
async function checkScreenshot(page, name) {
  const png = await page.screenshot();
  assert.ok(png.length < MAX_BYTES, `${name} has ${png.length} bytes`);
  const [picture, words] = [new URL(`${name}.png`, FOLDER), new URL(`${name}.txt`, FOLDER)];
  const found = await wording(page);
  if (process.env.SCREENSHOTS === "1") {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(picture, png);
    writeFileSync(words, found);
  }
  assert.deepEqual(dimensions(png), SIZE);
  assert.deepEqual(dimensions(readFileSync(picture)), SIZE, `${name}.png has another size; ${RENEW}`);
  const changed = (from, to) => from.split("\n").filter((line) => !to.split("\n").includes(line));
  const committed = readFileSync(words, "utf8");
  const difference = { onlyInThePicture: changed(committed, found), onlyOnThePage: changed(found, committed) };
  assert.equal(found, committed, `${name}.png shows an old page: ${JSON.stringify(difference)}; ${RENEW}`);
}

test("home page", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/", undefined, { viewport: SIZE });
    await checkScreenshot(page, "home");
  }));

test("playground with a response", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/playground?endpoint=listServers&sort=players&limit=1", undefined, { viewport: SIZE });
    await page.getByRole("button", { name: "Run" }).click();
    await page.locator(".tree").waitFor();
    await page.locator("#endpoints").getByRole("link", { name: "/servers/{slug}", exact: true }).click();
    await page.fill("#field-slug", await page.locator("#seen-slug option").first().getAttribute("value"));
    await page.getByRole("button", { name: "Run" }).click();
    await page.locator("#run:not([aria-disabled])").waitFor();
    await page.locator(".tree").waitFor();
    await page.locator("#call").evaluate((heading) => scrollTo(0, heading.getBoundingClientRect().top + scrollY - 30));
    await checkScreenshot(page, "playground");
  }));
