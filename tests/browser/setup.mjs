// Runs tests in a real browser against the real program.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const base = process.env.ROLLCALL_URL;
export const variants = ["light", "dark"].flatMap((scheme) => [390, 1280].map((width) => ({ scheme, width })));

/** Runs `work` with a browser and closes it afterwards. */
export async function withBrowser(work) {
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

/** An empty page. Reduced motion, so that elements do not move between press and release of a click. */
export async function blank(browser, variant = { scheme: "light", width: 1280 }, options = {}) {
  const context = await browser.newContext({
    colorScheme: variant.scheme,
    reducedMotion: "reduce",
    viewport: { width: variant.width, height: 900 },
    ...options,
  });
  return context.newPage();
}

/** Opens a page. Console errors, including violations of the content security policy, fail the test. */
export async function open(browser, path, variant, options) {
  const page = await blank(browser, variant, options);
  page.on("console", (message) => {
    // Rejected forms have an error status, which browsers log.
    if (message.type() === "error" && !/responded with a status of 4(03|22|29)/.test(message.text())) {
      throw new Error(`${path}: console error: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => {
    throw new Error(`${path}: ${error}`);
  });
  await page.goto(base + path);
  return page;
}

/** Checks WCAG AA and axe's best practices. */
export async function assertAccessible(page, what) {
  // Evaluated through the debugger, which bypasses the content security policy.
  const report = await page.evaluate(`(() => { ${axe}; return axe.run(); })()`);
  const violations = report.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join("\n  ")}`);
  assert.deepEqual(violations, [], what);
}

/** Checks that the page does not scroll horizontally. */
export async function assertFits(page, what) {
  const [content, window] = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]");
  assert.ok(content <= window, `${what} is ${content} px wide in a window of ${window}`);
}
