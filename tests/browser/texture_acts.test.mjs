// What people do with skins and capes: likes, favorites in collections, reports, pages of creators.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PASSWORD, fill, signIn, signedUp } from "./account.mjs";
import { assertLooks, base, open, withBrowser } from "./setup.mjs";

/** The page of the skin or cape at this place of the list. */
async function textureAt(page, kind, place) {
  await page.goto(`${base}/${kind}?sort=name`);
  return page.locator(`.texture > a[href^='/${kind}/']`).nth(place).getAttribute("href");
}

const pressed = (page, name) => page.getByRole("button", { name, exact: true }).getAttribute("aria-pressed");
const figure = async (page, name) => Number(await page.locator("#figures > div", { hasText: name }).locator("data").getAttribute("value"));

test("a button changes in place, by keyboard and on a narrow screen", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser);
    await page.setViewportSize({ width: 390, height: 844 });
    for (const kind of ["skins", "capes"]) {
      const path = await textureAt(page, kind, 0);
      await page.goto(base + path);
      const before = await figure(page, "Likes");
      await page.evaluate("window.isSamePage = true");
      const like = page.getByRole("button", { name: "Like", exact: true });
      await like.focus();
      await page.keyboard.press("Enter");
      await page.locator("#acts button[aria-pressed=true]").waitFor();
      assert.equal(await pressed(page, "Like"), "true");
      assert.equal(await figure(page, "Likes"), before + 1);
      assert.equal(await page.evaluate("document.activeElement.textContent.trim()"), "Like", "the focus stays");
      assert.equal(await page.evaluate("window.isSamePage"), true, "the page was not left");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Space");
      await page.locator("#acts button[aria-pressed=true]").nth(1).waitFor();
      assert.equal(await pressed(page, "Favorite"), "true");
      await like.click();
      await page.locator("#acts button[aria-pressed=false]").waitFor();
      assert.equal(await figure(page, "Likes"), before);
      await page.reload();
      assert.deepEqual([await pressed(page, "Like"), await pressed(page, "Favorite")], ["false", "true"]);
      await page.locator("summary", { hasText: "Report" }).click();
      await assertLooks(page, `texture-acts-${kind}`);
      await page.setViewportSize({ width: 390, height: 844 });
    }
  }));

test("without scripts the same forms work", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser, { javaScriptEnabled: false });
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    const path = await textureAt(page, "skins", 1);
    await page.goto(base + path);
    const before = await figure(page, "Favorites");
    for (const name of ["Like", "Favorite"]) {
      await page.getByRole("button", { name, exact: true }).click();
      await page.locator(`#acts button[aria-pressed=true]`, { hasText: name }).waitFor();
    }
    assert.equal(await figure(page, "Favorites"), before + 1);
    await page.locator("summary", { hasText: "Report" }).click();
    await page.fill("#why", "It is the logo of a company.");
    await page.getByRole("button", { name: "Report to the moderators" }).click();
    await page.getByText("Reported. A moderator will look at it.").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download PNG" }).click();
    assert.equal((await download).suggestedFilename(), `${path.split("/").pop()}.png`);
  }));

test("signing in leads back to the page", () =>
  withBrowser(async (browser) => {
    const { username } = await signedUp(browser);
    const page = await open(browser, "/capes");
    const path = await textureAt(page, "capes", 1);
    await page.goto(base + path);
    await page.getByRole("link", { name: "Like", exact: true }).click();
    await fill(page, { username, password: PASSWORD });
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL(base + path);
    assert.equal(await pressed(page, "Like"), "false");
  }));

test("favorites are put into collections", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser);
    await page.goto(`${base}/dashboard/favorites`);
    await assertLooks(page, "favorites-empty");
    for (const [kind, place] of [["skins", 0], ["skins", 1], ["capes", 0]]) {
      await page.goto(base + (await textureAt(page, kind, place)));
      await page.getByRole("button", { name: "Favorite", exact: true }).click();
      await page.locator("#acts button[aria-pressed=true]").waitFor();
    }
    await page.goto(`${base}/dashboard/favorites`);
    await page.fill("#name", "For the winter");
    await page.keyboard.press("Enter");
    await page.getByText("Collection created.").waitFor();
    await page.locator(".move select").first().selectOption({ label: "For the winter" });
    await page.getByRole("button", { name: /^Move/ }).first().click();
    await page.getByText("Favorite moved.").waitFor();
    await assertLooks(page, "favorites");
    await page.getByRole("navigation", { name: "Collections" }).getByRole("link", { name: "For the winter" }).click();
    assert.equal(await page.locator(".texture").count(), 1);
    await assertLooks(page, "favorites-collection");
    await page.fill("#rename", "For the spring");
    await page.getByRole("button", { name: "Rename collection" }).click();
    await page.getByText("Collection renamed.").waitFor();
    await page.locator("summary", { hasText: "Delete the collection" }).click();
    await page.getByRole("button", { name: "Delete collection" }).click();
    await page.getByText("Collection deleted. Its favorites stay.").waitFor();
    assert.equal(await page.locator(".texture").count(), 3);
  }));

test("moderators feature a skin, and a creator has a page", () =>
  withBrowser(async (browser) => {
    const operator = await open(browser, "/sign-in");
    await signIn(operator, "operator", process.env.ROLLCALL_OPERATOR_PASSWORD);
    await operator.getByRole("heading", { name: "API keys" }).waitFor();
    const path = await textureAt(operator, "skins", 2);
    await operator.goto(base + path);
    const button = operator.getByRole("button", { name: /^(Feature it|Remove from featured)$/ });
    const isFeatured = (await button.textContent()) !== "Feature it";
    await button.click();
    await operator.getByText(isFeatured ? "It is no longer featured." : "It is featured now.").waitFor();
    await assertLooks(operator, "texture-featured");
    await operator.locator(".owner a[href^='/creators/']").first().click();
    await operator.getByText("Creator", { exact: true }).waitFor();
    await assertLooks(operator, "creator");
    await operator.goto(`${base}/skins?sort=trending`);
    assert.equal(await operator.inputValue("#f-sort"), "trending");
    await assertLooks(operator, "skins-trending");
  }));
