import assert from "node:assert/strict";
import { test } from "node:test";
import { assertLooks, base, blank, layoutShift, open, withBrowser } from "./setup.mjs";

const PAGES = ["/", "/docs", "/playground"];

test("public pages are accessible in light and dark, on phone and desktop", () =>
  withBrowser(async (browser) => {
    for (const path of PAGES) {
      const page = await open(browser, path);
      await assertLooks(page, path);
      await page.close();
    }
  }));

test("pages work without scripts", () =>
  withBrowser(async (browser) => {
    for (const path of PAGES) {
      const page = await open(browser, path, undefined, { javaScriptEnabled: false });
      assert.ok(await page.locator("h1").isVisible(), path);
    }
    const home = await open(browser, "/", undefined, { javaScriptEnabled: false });
    assert.ok(await home.locator("svg .line").first().isVisible());
    const docs = await open(browser, "/docs", undefined, { javaScriptEnabled: false });
    assert.ok(await docs.locator(".contents nav").isVisible());
    assert.ok(await docs.locator("#find").isHidden(), "the search needs scripts");
  }));

test("numbers and times follow the language of the page and the reader's variant of it", () =>
  withBrowser(async (browser) => {
    for (const [locale, zone] of [["en-GB", "Europe/London"], ["tr-TR", "Europe/Istanbul"], ["ru-RU", "Asia/Tokyo"]]) {
      const page = await open(browser, "/", undefined, { locale, timezoneId: zone });
      assert.equal(await page.locator("html").getAttribute("lang"), locale.slice(0, 2));
      const figure = page.locator("dd data").first();
      const value = Number(await figure.getAttribute("value"));
      assert.equal(await figure.textContent(), new Intl.NumberFormat(locale).format(value));
      const time = page.locator("figcaption time").first();
      const moment = new Date(await time.getAttribute("datetime"));
      const style = { year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZone: zone, timeZoneName: "short" };
      assert.equal(await time.textContent(), new Intl.DateTimeFormat(locale, style).format(moment));
      await page.close();
    }
  }));

test("the chart shows a tooltip", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/");
    const box = await page.locator("rc-chart").boundingBox();
    await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
    const last = page.locator(".chart tbody tr").last().locator("data");
    const tooltip = page.locator("rc-chart .tooltip");
    const figure = new Intl.NumberFormat("en-US").format(Number(await last.getAttribute("value")));
    assert.ok((await tooltip.textContent()).startsWith(`${figure} · `));
    await page.mouse.move(0, 0);
    assert.ok(await tooltip.isHidden());
  }));

test("the reference can be searched with the keyboard and has anchors", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/docs");
    await page.keyboard.press("/");
    await page.keyboard.type("minRating");
    assert.deepEqual(await page.locator(".found a").evaluateAll((all) => all.map((link) => link.getAttribute("href"))), ["#listServers"]);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/docs#listServers`);
    await page.fill("#find", "");
    assert.ok(await page.locator(".contents nav").isVisible());
    const deep = await open(browser, "/docs#leaderboards");
    assert.ok(await deep.locator("#leaderboards h3").isVisible());
  }));

test("the first tab stop skips to the content", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Skip to content");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/#main`);
  }));

test("the 404 page links to the home page", () =>
  withBrowser(async (browser) => {
    const page = await blank(browser);
    await page.goto(`${base}/nowhere`);
    await page.getByRole("link", { name: "Go to the home page" }).click();
    assert.equal(page.url(), `${base}/`);
  }));

test("the home page has no layout shift", () =>
  withBrowser(async (browser) => {
    for (const width of [390, 1280]) {
      const page = await open(browser, "/", { scheme: "light", width });
      const moved = await layoutShift(page);
      assert.ok(moved < 0.01, `at ${width} px: ${moved}`);
      await page.close();
    }
  }));

test("live statistics update by themselves", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/");
    const figure = page.locator("#live-stats dd data").first();
    const before = await figure.getAttribute("value");
    // The demo polls its servers every 15 seconds, and the page reloads every 5.
    await page.waitForFunction((before) => document.querySelector("#live-stats dd data")?.getAttribute("value") !== before, before, {
      timeout: 180_000,
    });
    assert.equal(await figure.textContent(), new Intl.NumberFormat("en-US").format(Number(await figure.getAttribute("value"))));
  }));
