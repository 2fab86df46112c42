// Search, players, leaderboards, skins and capes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertAccessible, assertFits, assertLooks, base, blank, layoutShift, withBrowser, withWebGl } from "./setup.mjs";

/** The address of the first item of a list. */
async function first(browser, list, link) {
  const page = await quiet(browser, list);
  const path = await page.locator(link).first().getAttribute("href");
  await page.context().close();
  return path;
}

/** Like `open`; pictures of players may be missing in a demo world. */
async function quiet(browser, path, variant, options) {
  const page = await blank(browser, variant, options);
  page.on("pageerror", (error) => {
    throw new Error(`${path}: ${error}`);
  });
  page.on("console", (message) => {
    if (message.type() === "error" && /Content Security Policy|Uncaught/.test(message.text())) {
      throw new Error(`${path}: ${message.text()}`);
    }
  });
  await page.goto(base + path);
  return page;
}

async function paths(browser) {
  return [
    "/search",
    "/search?q=an",
    "/search?q=x",
    "/players",
    "/players?search=zzzzzzzz",
    await first(browser, "/players?sort=sessions", ".person .name"),
    "/leaderboards",
    "/leaderboards?metric=sessions&period=7d&tier=Unranked&page=2",
    "/skins",
    await first(browser, "/skins?sort=usage", ".texture > a"),
    "/capes",
    await first(browser, "/capes?sort=popular", ".texture > a"),
  ];
}

test("pages about people are accessible in light and dark, on phone and desktop", () =>
  withBrowser(async (browser) => {
    for (const path of await paths(browser)) {
      const page = await quiet(browser, path);
      await assertLooks(page, path);
      await page.context().close();
    }
  }));

test("pages about people work without scripts, at 1920 px and in every language", () =>
  withBrowser(async (browser) => {
    for (const path of await paths(browser)) {
      const page = await quiet(browser, path, { scheme: "light", width: 1920 }, { javaScriptEnabled: false });
      assert.ok(await page.locator("h1").isVisible(), path);
      for (const lang of ["tr", "ru"]) {
        const page = await quiet(browser, `${path}${path.includes("?") ? "&" : "?"}lang=${lang}`, { scheme: "dark", width: 390 });
        await assertFits(page, `${path} ${lang}`);
        await page.context().close();
      }
      await page.context().close();
    }
    const page = await quiet(browser, "/players", undefined, { javaScriptEnabled: false });
    await page.fill("#f-search", "an");
    await page.selectOption("#f-sort", "playtime");
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(`${base}/players?search=an&sort=playtime`);
    await page.locator(".person .name").first().click();
    assert.ok(await page.locator(".player-page h1").isVisible());
    assert.ok(await page.locator(".player-page rc-viewer img").isVisible(), "the drawn picture");
    assert.equal(await page.locator("rc-viewer button").count(), 0);
  }));

test("nothing moves while a page loads", () =>
  withBrowser(async (browser) => {
    for (const path of await paths(browser)) {
      for (const width of [390, 1280]) {
        const page = await quiet(browser, path, { scheme: "light", width });
        const moved = await layoutShift(page);
        assert.ok(moved < 0.02, `${path} at ${width} px: ${moved}`);
        await page.context().close();
      }
    }
  }));

test("suggestions are chosen with the keyboard alone", () =>
  withBrowser(async (browser) => {
    const page = await quiet(browser, "/search");
    const field = page.locator("#search");
    await field.focus();
    await page.keyboard.type("an");
    const options = page.locator("#search ~ .suggestions [role=option]");
    await options.first().waitFor();
    assert.equal(await field.getAttribute("aria-expanded"), "true");
    await assertAccessible(page, "suggestions");
    const count = await options.count();
    assert.ok(count > 1 && count <= 10, `${count}`);
    const chosen = () => page.locator("#search ~ .suggestions [aria-selected=true]").evaluateAll((all) => all.map((option) => option.id));
    await page.keyboard.press("ArrowDown");
    assert.deepEqual(await chosen(), [await options.nth(0).getAttribute("id")]);
    assert.equal(await field.getAttribute("aria-activedescendant"), (await chosen())[0]);
    await page.keyboard.press("ArrowUp");
    assert.deepEqual(await chosen(), [], "the field itself");
    await page.keyboard.press("ArrowUp");
    assert.deepEqual(await chosen(), [await options.nth(count - 1).getAttribute("id")]);
    await page.keyboard.press("Escape");
    assert.equal(await field.getAttribute("aria-expanded"), "false");
    assert.equal(await field.inputValue(), "an", "the first Escape keeps the text");
    await page.keyboard.press("ArrowDown");
    await options.first().waitFor();
    await page.keyboard.press("ArrowDown");
    const target = await options.first().getAttribute("href");
    await page.keyboard.press("Enter");
    await page.waitForURL(base + target);
    // Without a choice, Enter sends the form.
    await page.locator("#top-search").focus();
    await page.keyboard.type("an");
    await page.locator(".top-search [role=option]").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/search?q=an`);
  }));

test("a name with markup is harmless in the suggestions", () =>
  withBrowser(async (browser) => {
    const page = await quiet(browser, "/search");
    const name = "<img src=x onerror=\"document.title='broken'\">\u202e";
    const answer = { servers: [], players: [{ path: "/players/x", name, picture: "/favicon.ico" }] };
    await page.route("**/search/suggest*", (route) => route.fulfill({ json: answer }));
    await page.fill("#search", "img");
    const option = page.locator("[role=option]").first();
    await option.waitFor();
    assert.equal(await option.locator("bdi").textContent(), name);
    assert.notEqual(await page.title(), "broken");
  }));

test("suggestions that are refused leave the form as it is", () =>
  withBrowser(async (browser) => {
    const page = await quiet(browser, "/search");
    await page.route("**/search/suggest*", (route) => route.fulfill({ status: 429, json: {} }));
    const refused = page.waitForResponse("**/search/suggest*");
    await page.fill("#search", "an");
    await refused;
    assert.equal(await page.locator("[role=option]").count(), 0);
    await page.keyboard.press("Enter");
    await page.waitForURL(`${base}/search?q=an`);
  }));

test("the picture stays where there is no WebGL", () =>
  withBrowser(async (browser) => {
    const page = await blank(browser);
    await page.addInitScript(() => {
      HTMLCanvasElement.prototype.getContext = () => null;
    });
    await page.goto(base + (await first(browser, "/skins?sort=usage", ".texture > a")));
    await page.getByRole("button", { name: "View in 3D" }).click();
    await page.getByText("3D is not available in this browser.").waitFor();
    assert.ok(await page.locator("rc-viewer img").isVisible());
    assert.equal(await page.locator("canvas").count(), 0);
  }));

test("the 3D viewer is loaded on demand and turned with the keyboard", () =>
  withWebGl(true, async (browser) => {
    const path = await first(browser, "/players?sort=sessions", ".person .name");
    const page = await quiet(browser, path, undefined, { reducedMotion: "no-preference" });
    const scripts = [];
    page.on("request", (request) => request.resourceType() === "script" && scripts.push(request.url()));
    const button = page.locator("rc-viewer button").first();
    await button.focus();
    assert.deepEqual(scripts, [], "nothing is loaded before");
    await page.keyboard.press("Enter");
    const canvas = page.locator("rc-viewer canvas");
    await canvas.waitFor();
    assert.equal(scripts.length, 1);
    assert.ok(await page.locator("rc-viewer img").isHidden());
    await page.waitForFunction(() => document.activeElement?.tagName === "CANVAS");
    const viewer = page.locator("rc-viewer");
    const before = Number(await viewer.getAttribute("angle"));
    await page.keyboard.press("ArrowRight");
    assert.ok(Number(await viewer.getAttribute("angle")) > before);
    assert.notEqual(await viewer.getAttribute("moving"), null, "it walks");
    await page.getByRole("button", { name: "Walk" }).press("Enter");
    assert.equal(await viewer.getAttribute("moving"), null, "it stands");
    await page.getByRole("button", { name: "Walk" }).press("Enter");
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await page.waitForFunction(() => !document.querySelector("rc-viewer").hasAttribute("moving"), undefined, { timeout: 120_000 });
    await page.evaluate(() => scrollTo(0, 0));
    await page.waitForFunction(() => document.querySelector("rc-viewer").hasAttribute("moving"));
    await assertAccessible(page, "the viewer");
    await page.getByRole("button", { name: "Picture" }).press("Enter");
    assert.ok(await page.locator("rc-viewer img").isVisible());
    // Who prefers less motion gets a model that stands still.
    const calm = await quiet(browser, path);
    await calm.getByRole("button", { name: "View in 3D" }).click();
    await calm.locator("rc-viewer canvas").waitFor();
    assert.equal(await calm.locator("rc-viewer").getAttribute("moving"), null);
  }));

test("the activity of a player can be read as a table", () =>
  withBrowser(async (browser) => {
    const page = await quiet(browser, await first(browser, "/players?sort=sessions", ".person .name"));
    await page.locator("#activity").locator("xpath=ancestor::section").getByText("Show as table").click();
    const rows = page.locator(".tall tbody tr");
    assert.equal(await rows.count(), await page.locator(".heat rect").count());
    assert.ok((await rows.count()) > 0);
  }));
