// The public site: servers, status and changelog, in light and dark, on phone and desktop, with and without scripts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFits, assertLooks, base, blank, open, withBrowser } from "./setup.mjs";

/** A busy server of this demo. */
async function busiest(page) {
  await page.goto(`${base}/servers?sort=players`);
  return new URL(await page.locator(".cover").first().getAttribute("href"), base).pathname;
}

async function pages(browser) {
  const page = await blank(browser);
  const server = await busiest(page);
  await page.close();
  return ["/servers", server, "/status", "/changelog", "/nothing-here"];
}

test("pages are accessible and fit, in light and dark, on phone and desktop", () =>
  withBrowser(async (browser) => {
    for (const path of await pages(browser)) {
      const page = await blank(browser);
      await page.goto(base + path);
      await page.locator("details").evaluateAll((all) => all.forEach((details) => (details.open = true)));
      await assertLooks(page, path);
      await page.close();
    }
  }));

test("pages fit a wide screen, paper and forced colours", () =>
  withBrowser(async (browser) => {
    for (const path of ["/", ...(await pages(browser))]) {
      const page = await blank(browser, { scheme: "light", width: 1920 }, { forcedColors: "active" });
      await page.goto(base + path);
      await assertFits(page, `${path} 1920`);
      await page.emulateMedia({ media: "print" });
      assert.ok(await page.locator("h1").isVisible(), path);
      assert.ok(await page.locator(".top nav").isHidden(), path);
      await page.close();
    }
  }));

test("nothing moves while a page loads", () =>
  withBrowser(async (browser) => {
    for (const path of ["/", ...(await pages(browser))]) {
      const page = await blank(browser, { scheme: "light", width: 390 });
      await page.addInitScript(() => {
        window.shifts = [];
        new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((entry) => entry.value))).observe({ type: "layout-shift", buffered: true });
      });
      await page.goto(base + path);
      await page.waitForLoadState("networkidle");
      const total = await page.evaluate(() => window.shifts.reduce((sum, value) => sum + value, 0));
      assert.ok(total <= 0.02, `${path} shifts by ${total}`);
      await page.close();
    }
  }));

test("the list is filtered, sorted and paged without scripts, and the URL says how", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/servers", undefined, { javaScriptEnabled: false });
    await page.getByLabel("Sort by").selectOption("votes");
    await page.getByLabel("Online only").check();
    await page.getByRole("button", { name: "Show" }).click();
    assert.equal(new URL(page.url()).searchParams.get("sort"), "votes");
    assert.ok(await page.getByLabel("Online only").isChecked());
    const first = await page.locator(".server-row .name").first().textContent();
    await page.getByRole("link", { name: "Next" }).click();
    assert.equal(new URL(page.url()).searchParams.get("page"), "2");
    assert.equal(new URL(page.url()).searchParams.get("onlineOnly"), "true");
    assert.notEqual(await page.locator(".server-row .name").first().textContent(), first);
    await page.locator(".facet summary").first().click();
    await page.locator(".facet a").first().click();
    const mode = new URL(page.url()).searchParams.get("mode");
    assert.ok(mode && !new URL(page.url()).searchParams.has("page"));
    assert.equal(await page.getByLabel("Game mode").inputValue(), mode);
  }));

test("a server is found and opened with the keyboard alone", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/servers?sort=players");
    const name = await page.locator(".server-row .name").first().textContent();
    await page.locator(".cover").first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  }));

test("the chart is read with the arrow keys", () =>
  withBrowser(async (browser) => {
    const page = await blank(browser);
    await page.goto(base + (await busiest(page)));
    const chart = page.locator("#history rc-chart");
    await chart.focus();
    await page.keyboard.press("End");
    const rows = page.locator("#history figure tbody tr");
    const value = async (row) => new Intl.NumberFormat("en-US").format(Number(await row.locator("data").getAttribute("value")));
    const tooltip = chart.locator(".tooltip");
    assert.ok((await tooltip.textContent()).startsWith(`${await value(rows.last())} · `));
    await page.keyboard.press("Home");
    assert.ok((await tooltip.textContent()).startsWith(`${await value(rows.first())} · `));
    await page.keyboard.press("ArrowRight");
    assert.ok((await tooltip.textContent()).startsWith(`${await value(rows.nth(1))} · `));
    await page.keyboard.press("Escape");
    assert.ok(await tooltip.isHidden());
  }));

test("the address of a server is copied", () =>
  withBrowser(async (browser) => {
    const page = await blank(browser, undefined, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(base + (await busiest(page)));
    await page.getByRole("button", { name: "Copy address" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    const address = await page.locator(".join code").textContent();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), address);
  }));

test("theme and language are chosen with and without scripts and stay", () =>
  withBrowser(async (browser) => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await open(browser, "/status", undefined, { javaScriptEnabled });
      const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
      const before = javaScriptEnabled ? await background() : undefined;
      await page.getByRole("link", { name: "Dark" }).click();
      await page.locator('html[data-theme="dark"]').waitFor({ state: "attached" });
      if (javaScriptEnabled) {
        assert.notEqual(await background(), before);
        await page.waitForLoadState("networkidle");
      }
      await page.goto(`${base}/servers`);
      await page.locator('html[data-theme="dark"]').waitFor({ state: "attached" });
      await page.getByRole("link", { name: "Türkçe" }).click();
      await page.getByRole("heading", { level: 1, name: "Sunucular" }).waitFor();
      await page.goto(`${base}/status`);
      await page.getByRole("heading", { level: 1, name: "Durum" }).waitFor();
      await page.close();
    }
  }));
