// Runs tests in a real browser against the real program.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after } from "node:test";
import { chromium } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const base = process.env.ROLLCALL_URL;
const allVariants = ["light", "dark"].flatMap((scheme) => [390, 1280].map((width) => ({ scheme, width })));
// Checks of both schemes and both widths need two of the four; a person wants to see all of them.
export const variants = process.env.SHOTS ? allVariants : [{ scheme: "light", width: 1280 }, { scheme: "dark", width: 390 }];

/** The browser of this process; each file of tests runs in a process of its own. */
let shared;

function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

/** Runs `work` with a browser and closes what it opened. Contexts share no cookies, storage or cache, so one browser serves all tests of a file. */
export async function withBrowser(work) {
  shared ??= launch();
  const browser = await shared;
  try {
    await work(browser);
  } finally {
    await Promise.all(browser.contexts().map((context) => context.close()));
  }
}

const WEBGL_IN_SOFTWARE = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];

/** Runs `work` with a browser of its own that has WebGL, drawn in software, or has none. */
export async function withWebGl(hasWebGl, work) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", ...(hasWebGl ? WEBGL_IN_SOFTWARE : ["--disable-gpu", "--disable-3d-apis"])],
  });
  try {
    await work(browser);
  } finally {
    await browser.close();
  }
}

/** Closes the browser; without this the process does not end. */
export async function closeBrowser() {
  await (await shared)?.close();
}

// Set by `node --test`; page-speed.mjs is a program.
if (process.env.NODE_TEST_CONTEXT) {
  after(closeBrowser);
}

// Between two looks, and how long a test looks. A test that passes never waits so long.
const PAUSE = 50;
const DEADLINE = 120_000;

/** Looks until it finds something, and returns that. */
export async function until(what, look) {
  for (const started = performance.now(); performance.now() - started < DEADLINE; ) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  throw new Error(`not within ${DEADLINE / 1000} s: ${what}`);
}

/** An empty page. Reduced motion, so that elements do not move between press and release of a click. */
export async function blank(browser, variant = { scheme: "light", width: 1280 }, options = {}) {
  const context = await browser.newContext({
    colorScheme: variant.scheme,
    reducedMotion: "reduce",
    viewport: { width: variant.width, height: 900 },
    ...options,
  });
  // The machine may be busy with other checks.
  context.setDefaultTimeout(DEADLINE);
  return context.newPage();
}

/** Opens a page. Console errors, including violations of the content security policy, fail the test. */
export async function open(browser, path, variant, options) {
  const page = await blank(browser, variant, options);
  page.on("console", (message) => {
    // Rejected forms have an error status, which browsers log.
    if (message.type() === "error" && !/responded with a status of 4(03|09|22|29)/.test(message.text())) {
      throw new Error(`${path}: console error: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => {
    throw new Error(`${path}: ${error}`);
  });
  await page.goto(base + path);
  return page;
}

// What depends on colors, on sizes and on which controls are visible.
const RULES_OF_LOOKS = ["button-name", "color-contrast", "label", "link-in-text-block", "link-name", "scrollable-region-focusable", "select-name", "target-size"];

/** Checks WCAG AA and axe's best practices, or only these rules. */
export async function assertAccessible(page, what, rules) {
  // Elements without violations are not listed: that takes as long as the checks.
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: { type: "rule", values: rules } }) };
  // Evaluated through the debugger, which bypasses the content security policy. Half a megabyte: once per page is enough.
  if (await page.evaluate("typeof axe === 'undefined'")) {
    await page.evaluate(axe);
  }
  const report = await page.evaluate(`axe.run(${JSON.stringify(options)})`);
  const violations = report.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join("\n  ")}`);
  assert.deepEqual(violations, [], what);
}

/** How far elements have moved since the page began to load: the sum of its layout shifts, when everything has been loaded and drawn. */
export async function layoutShift(page) {
  await page.waitForLoadState("networkidle");
  return page.evaluate(async () => {
    let sum = 0;
    const add = (entries) => entries.forEach((entry) => (sum += entry.value));
    const observer = new PerformanceObserver((list) => add(list.getEntries()));
    observer.observe({ type: "layout-shift", buffered: true });
    await document.fonts.ready;
    // A frame is measured when it is drawn: the second one begins after the first was.
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
    add(observer.takeRecords());
    return sum;
  });
}

/** Checks that the page does not scroll horizontally. */
export async function assertFits(page, what) {
  const [content, window] = await page.evaluate("[document.documentElement.scrollWidth, innerWidth]");
  assert.ok(content <= window, `${what} is ${content} px wide in a window of ${window}`);
}

/** Checks the open page in all variants. */
export async function assertLooks(page, what) {
  for (const [index, { scheme, width }] of variants.entries()) {
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 900 });
    await assertFits(page, `${what} at ${width} px`);
    // The markup is the same in all variants.
    await assertAccessible(page, `${what} (${scheme}, ${width} px)`, index === 0 ? undefined : RULES_OF_LOOKS);
    // For a person who wants to look at them: SHOTS=folder scripts/browser PROGRAM FILE
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${what.replace(/\W+/g, "-")}-${scheme}-${width}.png`, fullPage: true });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 900 });
}
