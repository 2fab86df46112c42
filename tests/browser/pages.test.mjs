import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, base, blank, browsing, fits, looks, open } from "./setup.mjs";

const PAGES = ["/", "/docs", "/playground"];

test("every page is open to everyone, in light and dark, on phone and desk", () =>
  browsing(async (browser) => {
    for (const path of PAGES) {
      for (const look of looks) {
        const what = `${path} ${look.scheme} ${look.width}`;
        const page = await open(browser, path, look);
        await accessible(page, what);
        await fits(page, what);
        await page.close();
      }
    }
  }));

test("pages say the same without scripts", () =>
  browsing(async (browser) => {
    for (const path of PAGES) {
      const page = await open(browser, path, undefined, { javaScriptEnabled: false });
      assert.ok(await page.locator("h1").isVisible(), path);
    }
    const home = await open(browser, "/", undefined, { javaScriptEnabled: false });
    assert.ok(await home.locator("svg .line").isVisible());
    const docs = await open(browser, "/docs", undefined, { javaScriptEnabled: false });
    assert.ok(await docs.locator(".contents nav").isVisible());
    assert.ok(await docs.locator("#find").isHidden(), "a search that cannot search");
  }));

test("figures and times are written in the reader's own way", () =>
  browsing(async (browser) => {
    const page = await open(browser, "/", undefined, { locale: "de-DE", timezoneId: "Europe/Berlin" });
    const figure = page.locator("dd data").first();
    const value = Number(await figure.getAttribute("value"));
    assert.equal(await figure.textContent(), new Intl.NumberFormat("de-DE").format(value));
    const time = page.locator(".axis time").first();
    const style = { dateStyle: "medium", timeStyle: "short", timeZone: "Europe/Berlin" };
    const moment = new Date(await time.getAttribute("datetime"));
    assert.equal(await time.textContent(), new Intl.DateTimeFormat("de-DE", style).format(moment));
  }));

test("a chart can be pointed at", () =>
  browsing(async (browser) => {
    const page = await open(browser, "/");
    const box = await page.locator("rc-chart").boundingBox();
    await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
    const last = page.locator(".chart tbody tr").last().locator("data");
    const reading = page.locator("rc-chart .reading");
    const figure = new Intl.NumberFormat("en-US").format(Number(await last.getAttribute("value")));
    assert.ok((await reading.textContent()).startsWith(`${figure} · `));
    await page.mouse.move(0, 0);
    assert.ok(await reading.isHidden());
  }));

test("the reference can be searched from the keyboard, and linked into", () =>
  browsing(async (browser) => {
    const page = await open(browser, "/docs");
    await page.keyboard.press("/");
    await page.keyboard.type("minRating");
    const shown = await page.locator(".chapter:visible").evaluateAll((all) => all.map((chapter) => chapter.id));
    assert.deepEqual(shown, ["listServers"]);
    assert.equal(await page.locator(".contents li:visible").count(), 1);
    await page.fill("#find", "");
    assert.ok((await page.locator(".chapter:visible").count()) > 20);
    const deep = await open(browser, "/docs#leaderboards");
    assert.ok(await deep.locator("#leaderboards h3").isVisible());
  }));

test("the keyboard gets everywhere, beginning with the content", () =>
  browsing(async (browser) => {
    const page = await open(browser, "/");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate("document.activeElement.textContent"), "Skip to the content");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/#main`);
  }));

test("a page that is none has a way back", () =>
  browsing(async (browser) => {
    const page = await blank(browser);
    await page.goto(`${base}/nowhere`);
    await page.getByRole("link", { name: "To the beginning" }).click();
    assert.equal(page.url(), `${base}/`);
  }));

test("nothing on the first page moves once it is there", () =>
  browsing(async (browser) => {
    for (const look of looks) {
      const page = await open(browser, "/", look);
      const moved = await page.evaluate(async () => {
        let sum = 0;
        const watch = new PerformanceObserver((list) => list.getEntries().forEach((entry) => (sum += entry.value)));
        watch.observe({ type: "layout-shift", buffered: true });
        await new Promise((resolve) => setTimeout(resolve, 300));
        return sum;
      });
      assert.ok(moved < 0.01, `${look.scheme} ${look.width}: ${moved}`);
      await page.close();
    }
  }));

test("the figures of now follow by themselves", () =>
  browsing(async (browser) => {
    const page = await open(browser, "/");
    const figure = page.locator("#roll dd data").first();
    const before = await figure.getAttribute("value");
    // The demo's servers are asked every 15 seconds, and the page asks every 5.
    await page.waitForFunction((before) => document.querySelector("#roll dd data")?.getAttribute("value") !== before, before, {
      timeout: 60_000,
    });
    assert.equal(await figure.textContent(), new Intl.NumberFormat("en-US").format(Number(await figure.getAttribute("value"))));
  }));
