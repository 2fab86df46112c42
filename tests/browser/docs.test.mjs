// The reference: three panes, contents that follow, search, samples, layout shift; and the guides.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFits, assertLooks, base, blank, open, withBrowser } from "./setup.mjs";

const GUIDES = ["quick-start", "pagination", "rate-limits", "caching", "errors"].map((name) => `/docs/guides/${name}`);
const DESK = { scheme: "light", width: 1440 };

test("on a desk contents, text and example stand side by side and stay in view", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/docs", DESK);
    await page.locator(".toc.ready").waitFor();
    await page.locator("#serverDetail h3").scrollIntoViewIfNeeded();
    await page.evaluate(() => document.getElementById("serverDetail").scrollIntoView());
    const box = (selector) => page.locator(selector).first().boundingBox();
    const [contents, text, example] = [await box(".contents"), await box("#serverDetail > .prose"), await box("#serverDetail > .example")];
    assert.ok(contents.x + contents.width <= text.x && text.x + text.width <= example.x, JSON.stringify([contents, text, example]));
    assert.ok(contents.y >= 0 && contents.y < 900 && example.y >= 0 && example.y < 900);
    await page.locator('.contents a[href="#serverDetail"][aria-current]').waitFor();
    assert.equal(await page.locator(".contents [aria-current]").count(), 1);
    await page.evaluate(() => document.getElementById("capeDetail").scrollIntoView());
    await page.locator('.contents a[href="#capeDetail"][aria-current]').waitFor();
    const [link, pane] = [await box('.contents a[href="#capeDetail"]'), await box(".contents")];
    assert.ok(link.y >= pane.y && link.y + link.height <= pane.y + pane.height, "the mark is out of view");
  }));

test("the search ranks, and knows other words", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/docs", DESK);
    for (const [words, first] of [
      ["authentication", "#key"],
      ["api key", "#key"],
      ["error codes", "#errors"],
      ["limits", "#limits"],
      ["429", "#limits"],
      ["paging", "#paging"],
      ["etag", "#caching"],
      ["if-modified-since", "#caching"],
      ["getting started", "/docs/guides/quick-start"],
      ["backoff", "/docs/guides/rate-limits"],
      ["hotscore", "#figures"],
      ["leaderboard", "#leaderboards"],
      ["uptimePct", "#serverDetail"],
    ]) {
      await page.fill("#find", words);
      assert.equal(await page.locator(".found a").first().getAttribute("href"), first, words);
    }
    await page.fill("#find", "uptimePct");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#serverDetail details").getAttribute("open"), "");
    await page.fill("#find", "nothing has this word");
    await page.getByText("No results.").waitFor();
  }));

test("code can be copied, and one choice of language holds for all samples", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/docs", DESK, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.locator("#serverDetail").getByRole("radio", { name: "Python" }).check();
    assert.ok(await page.locator("#live-python").isVisible());
    const sample = page.locator("#serverDetail-python");
    await sample.hover();
    await sample.getByRole("button", { name: "Copy" }).click();
    await sample.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(copied.startsWith("import json\nimport urllib.request\n") && copied.includes("/v1/servers/"), copied);
  }));

test("without scripts everything can be read, and the languages chosen", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/docs", DESK, { javaScriptEnabled: false });
    assert.ok(await page.locator("#live-curl").isVisible());
    await page.locator("#live").getByRole("radio", { name: "Rust" }).check();
    assert.ok((await page.locator("#live-rust").isVisible()) && (await page.locator("#live-curl").isHidden()));
  }));

test("reference and guides are accessible and fit every width", () =>
  withBrowser(async (browser) => {
    for (const path of ["/docs", ...GUIDES]) {
      const page = await open(browser, path);
      await assertLooks(page, path);
      await page.setViewportSize({ width: 1920, height: 900 });
      await assertFits(page, `${path} at 1920 px`);
      await page.close();
    }
  }));

test("the reference, a guide and the playground do not shift while they load slowly", () =>
  withBrowser(async (browser) => {
    for (const width of [390, 1440]) {
      for (const path of ["/docs", GUIDES[0], "/playground"]) {
        const page = await blank(browser, { scheme: "light", width });
        const session = await page.context().newCDPSession(page);
        await session.send("Network.emulateNetworkConditions", { offline: false, latency: 20, downloadThroughput: 50_000, uploadThroughput: 50_000 });
        await page.addInitScript(() => {
          window.shift = 0;
          new PerformanceObserver((list) => list.getEntries().forEach((entry) => entry.hadRecentInput || (window.shift += entry.value))).observe({ type: "layout-shift", buffered: true });
        });
        await page.goto(base + path, { waitUntil: "networkidle" });
        const shift = await page.evaluate("window.shift");
        assert.ok(shift < 0.02, `${path} at ${width} shifts by ${shift}`);
        await page.close();
      }
    }
  }));
