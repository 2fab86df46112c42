// A real browser over the real program: `browse(test)` gives each test a page of its own, in every look.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const base = process.env.ROLLCALL_URL;
export const looks = ["light", "dark"].flatMap((scheme) => [390, 1280].map((width) => ({ scheme, width })));

/** Opens a browser for as long as `work` takes. */
export async function browsing(work) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  try {
    await work(browser);
  } finally {
    await browser.close();
  }
}

/** An empty page in this look. It holds still: what glides along between press and release is not clicked. */
export async function blank(browser, look = { scheme: "light", width: 1280 }, options = {}) {
  const context = await browser.newContext({
    colorScheme: look.scheme,
    reducedMotion: "reduce",
    viewport: { width: look.width, height: 900 },
    ...options,
  });
  return context.newPage();
}

/** A page in this look. Whatever the browser complains of, its policy included, is a failure. */
export async function open(browser, path, look, options) {
  const page = await blank(browser, look, options);
  page.on("console", (message) => {
    // A form that was not accepted says so by its status, which is no fault of the page.
    if (message.type() === "error" && !/responded with a status of 4(03|22|29)/.test(message.text())) {
      throw new Error(`${path}: the browser says: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => {
    throw new Error(`${path}: ${error}`);
  });
  await page.goto(base + path);
  return page;
}

/** Nothing that keeps anyone out: WCAG AA and axe's own good practice. */
export async function accessible(page, what) {
  // Through the debugger, which a page's policy does not concern.
  const found = await page.evaluate(`(() => { ${axe}; return axe.run(); })()`);
  const told = found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join("\n  ")}`);
  assert.deepEqual(told, [], what);
}

/** Nothing sticks out to the right. */
export async function fits(page, what) {
  const [content, window] = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]");
  assert.ok(content <= window, `${what} is ${content} px wide in a window of ${window}`);
}
