import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { assertAccessible, assertFits, base, blank, open, variants, withBrowser } from "./setup.mjs";

/** Runs `work` with the URL of another site, whose page frames these addresses. */
async function withOtherSite(addresses, work) {
  const frames = addresses.map((address) => `<iframe src="${base}${address}" title="frame" width="360" height="180"></iframe>`);
  const site = createServer((_, response) => response.setHeader("content-type", "text/html").end(`<!doctype html><title>x</title>${frames.join("")}`));
  await new Promise((listening) => site.listen(0, "127.0.0.1", listening));
  try {
    await work(`http://127.0.0.1:${site.address().port}/`);
  } finally {
    site.close();
  }
}

async function firstSlug(browser) {
  const page = await open(browser, "/servers");
  const href = await page.locator('main a[href^="/servers/"]').first().getAttribute("href");
  return href.replace("/servers/", "");
}

test("the widget shows in a frame of another site", () =>
  withBrowser(async (browser) => {
    const slug = await firstSlug(browser);
    await withOtherSite([`/embed/${slug}`], async (url) => {
      const page = await blank(browser);
      await page.goto(url);
      const widget = page.frameLocator("iframe");
      await widget.locator("main strong").first().waitFor();
      assert.match(await widget.locator("a.head").getAttribute("href"), new RegExp(`/servers/${slug}$`));
      assert.deepEqual(await page.context().cookies(), []);
      const icon = widget.locator("a.head img");
      assert.ok(await icon.evaluate((image) => image.decode().then(() => image.naturalWidth > 0)));
    });
  }));

test("no other page shows in a frame of another site", () =>
  withBrowser(async (browser) => {
    const slug = await firstSlug(browser);
    const paths = ["/", "/servers", `/servers/${slug}`, "/docs", "/playground", "/status", "/sign-in", "/sign-up", "/no-such-page"];
    await withOtherSite(paths, async (url) => {
      const page = await blank(browser);
      await page.goto(url, { waitUntil: "load" });
      for (const frame of page.frames().slice(1)) {
        // A refused page is replaced by an error page of the browser, which has another origin.
        assert.ok(!frame.url().startsWith(base), frame.url());
      }
    });
  }));

test("the widget is accessible and fits its frame", () =>
  withBrowser(async (browser) => {
    const slug = await firstSlug(browser);
    for (const theme of ["light", "dark"]) {
      for (const width of [280, 360]) {
        const page = await open(browser, `/embed/${slug}?theme=${theme}`, { scheme: theme, width }, { javaScriptEnabled: true });
        await assertAccessible(page, `${theme} ${width}`);
        await assertFits(page, `${theme} ${width}`);
        await page.close();
      }
    }
  }));

test("badge and widget can be copied from the page of a server", () =>
  withBrowser(async (browser) => {
    const slug = await firstSlug(browser);
    for (const variant of variants) {
      const page = await open(browser, `/servers/${slug}`, variant);
      await page.locator(".embed-codes summary").click();
      const codes = await page.locator(".embed-codes code").allTextContents();
      assert.equal(codes.length, 6);
      assert.ok(codes[0].startsWith("[![") && codes[0].includes(`/badge/${slug}.svg`), codes[0]);
      assert.equal(await page.locator(".embed-codes rc-copy button").count(), 6);
      await assertAccessible(page, `codes ${variant.scheme} ${variant.width}`);
      await assertFits(page, `codes ${variant.scheme} ${variant.width}`);
      await page.close();
    }
  }));
