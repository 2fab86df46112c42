// Where things are: gaps, sizes of targets, layout shift on a slow phone, paper, and the notice about a lost connection.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey, signedUp } from "./account.mjs";
import { base, blank, open, variants, withBrowser } from "./setup.mjs";

const PHONE = { scheme: "light", width: 390 };

test("sections keep a distance", () =>
  withBrowser(async (browser) => {
    for (const variant of variants) {
      const page = await open(browser, "/", variant);
      const gaps = await page.evaluate(() => {
        const below = (parent) => [...parent.children].filter((child) => child.checkVisibility()).map((child) => child.getBoundingClientRect());
        const gaps = (boxes) => boxes.slice(1).map((box, i) => Math.round(box.top - boxes[i].bottom));
        return [...document.querySelectorAll("main .stack")].flatMap((stack) => gaps(below(stack)));
      });
      assert.ok(gaps.length >= 4 && gaps.every((gap) => gap >= 16), `${variant.width}: ${gaps}`);
      await page.close();
    }
  }));

/** Interactive elements below 24x24 pixels. Links in a sentence and elements with a label as their target are exempt, as in WCAG 2.5.8. */
async function smallTargets(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [role=tab]")]
      .filter((target) => target.checkVisibility() && !target.matches(".skip, :is(p:not(.route, .part, .row), dd, td, label) a, label input"))
      .map((target) => ({ target, box: target.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
      .map(({ target, box }) => `${target.outerHTML.slice(0, 80)} ${box.width}x${box.height}`),
  );
}

test("targets have at least 24 pixels", () =>
  withBrowser(async (browser) => {
    for (const width of [390, 1280]) {
      for (const path of ["/", "/docs", "/sign-in", "/sign-up"]) {
        const page = await open(browser, path, { scheme: "light", width });
        await page.locator("details").evaluateAll((all) => all.forEach((details) => (details.open = true)));
        assert.deepEqual(await smallTargets(page), [], `${path} ${width}`);
        await page.close();
      }
      const page = await open(browser, "/playground?endpoint=listServers&limit=2", { scheme: "light", width });
      await page.getByRole("button", { name: "Run" }).click();
      await page.locator(".tree").waitFor();
      assert.deepEqual(await smallTargets(page), [], `playground ${width}`);
      await page.close();
    }
    const { page } = await signedUp(browser);
    await createKey(page, "targets");
    for (const path of ["/dashboard", page.url().replace(base, ""), "/dashboard/account", "/dashboard/log"]) {
      await page.goto(base + path);
      await page.locator("details").evaluateAll((all) => all.forEach((details) => (details.open = true)));
      assert.deepEqual(await smallTargets(page), [], path);
    }
  }));

/** The largest burst of layout shifts, as browsers report it (CLS), on a slow phone. */
async function shiftOnSlowPhone(browser, path, isReady) {
  const page = await blank(browser, PHONE);
  await page.addInitScript(() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const { value, startTime, hadRecentInput } of list.getEntries()) {
        hadRecentInput || window.shifts.push([startTime, value]);
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", { offline: false, latency: 300, downloadThroughput: 60_000, uploadThroughput: 30_000 });
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.goto(base + path);
  await page.locator(isReady).waitFor();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const shifts = await page.evaluate("shifts");
  await page.close();
  let [largest, sum, start, last] = [0, 0, -Infinity, -Infinity];
  for (const [time, value] of shifts) {
    const isNew = time - last > 1000 || time - start > 5000;
    [sum, start] = isNew ? [value, time] : [sum + value, start];
    [last, largest] = [time, Math.max(largest, sum)];
  }
  return largest;
}

test("pages do not shift on a slow phone", () =>
  withBrowser(async (browser) => {
    for (const [path, isReady] of [
      ["/", "rc-live[state]"],
      ["/docs", ".toc.ready"],
      ["/docs#leaderboards", ".toc.ready"],
      ["/playground", "#run"],
      ["/sign-up", "#username"],
    ]) {
      const shift = await shiftOnSlowPhone(browser, path, isReady);
      assert.ok(shift < 0.1, `${path} shifts by ${shift}`);
    }
  }));

test("on a phone the table of contents opens on demand", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/docs", PHONE);
    await page.locator(".toc.ready").waitFor();
    assert.ok(await page.locator(".contents nav").isHidden());
    await page.locator(".toc > summary").click();
    assert.ok(await page.locator(".contents nav").isVisible());
  }));

test("paper shows the content and nothing else", () =>
  withBrowser(async (browser) => {
    for (const path of ["/", "/docs"]) {
      const page = await open(browser, path, { scheme: "dark", width: 794 });
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      for (const hidden of [".top nav", "footer", ".contents", ".button", "summary"]) {
        for (const each of await page.locator(hidden).all()) {
          assert.ok(await each.isHidden(), `${path} ${hidden}`);
        }
      }
      assert.ok(await page.locator("h1").isVisible());
      const [paper, ink] = await page.evaluate(() => {
        const style = getComputedStyle(document.body);
        return [style.backgroundColor, style.color];
      });
      assert.deepEqual([paper, ink], ["rgb(255, 255, 255)", "rgb(0, 0, 0)"], path);
      const clipped = await page.evaluate(() => [...document.querySelectorAll("pre, .scroll")].filter((box) => box.scrollWidth > box.clientWidth + 1).length);
      assert.equal(clipped, 0, path);
      await page.close();
    }
  }));

test("a lost connection is shown, and so is its return", () =>
  withBrowser(async (browser) => {
    const page = await blank(browser);
    await page.clock.install();
    await page.goto(base);
    await page.locator('rc-live[state="live"]').waitFor();
    const notice = page.getByText(/^The server cannot be reached\. The numbers on this page are from .*; trying again\.$/);
    assert.equal(await notice.count(), 0);
    const isUpdate = (url) => url.href === `${base}/`;
    await page.route(isUpdate, (route) => route.abort());
    await page.clock.runFor(6_000);
    await notice.waitFor();
    assert.equal(await page.locator("rc-live").getAttribute("state"), "retrying");
    await page.unroute(isUpdate);
    // The pause doubles with each failure.
    for (let round = 0; round < 20 && (await notice.isVisible()); round += 1) {
      await page.clock.runFor(10_000);
    }
    await notice.waitFor({ state: "hidden" });
    assert.equal(await page.locator("rc-live").getAttribute("state"), "live");
  }));
