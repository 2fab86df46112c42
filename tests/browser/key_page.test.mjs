// The page of a key: tabs, restrictions, live parts and tooltips.
import assert from "node:assert/strict";
import { test } from "node:test";
import { base, withBrowser } from "./setup.mjs";
import { call, createKey, openTab, signedUp, waitForStatus } from "./account.mjs";

test("a live page asks for what changed, and gets nothing while nothing changes", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser);
    const secret = await createKey(page, "quiet");
    await waitForStatus(secret, 200);
    await page.getByText("never used").waitFor({ state: "detached", timeout: 180_000 });
    await openTab(page, "Security");
    const idle = await page.waitForResponse((response) => response.url().includes("/live?"));
    assert.equal(idle.status(), 204);
    await openTab(page, "Usage");
    await call(secret, "/live");
    const busy = await page.waitForResponse((response) => response.url().includes("/live?") && response.status() === 200, { timeout: 180_000 });
    assert.ok(busy.headers()["content-encoding"], "compressed");
    assert.ok((await busy.request().sizes()).responseBodySize < 8_000);
  }));

test("restrictions are set on the security tab and take effect", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser);
    const secret = await createKey(page, "narrow");
    await waitForStatus(secret, 200);
    await openTab(page, "Security");
    await page.getByLabel("/skins", { exact: true }).check();
    await page.getByRole("button", { name: "Save restrictions" }).click();
    await page.getByText("Restrictions saved.").waitFor();
    const refused = await waitForStatus(secret, 403);
    assert.deepEqual(await refused.json(), { success: false, error: "API key not allowed for this endpoint" });
    assert.equal((await call(secret, "/skins")).status, 200);
    assert.ok(await page.getByLabel("/skins", { exact: true }).isChecked());
    await page.fill("#networks", "nowhere");
    await page.getByRole("button", { name: "Save restrictions" }).click();
    await page.getByRole("alert").filter({ hasText: "“nowhere” is no IP address or range" }).waitFor();
    assert.equal(await page.inputValue("#networks"), "nowhere");
  }));

test("the tooltip of a bar shows its breakdown", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser);
    const secret = await createKey(page, "mixed");
    await waitForStatus(secret, 200);
    await call(secret, "/servers?limit=0");
    await openTab(page, "Usage");
    while (!/Client errors/.test((await page.locator("#usage-chart tbody").textContent().catch(() => "")) + "Client errors") || !(await page.locator("#usage rc-chart").isVisible())) {
      await page.reload();
    }
    const box = await page.locator("#usage rc-chart").boundingBox();
    await page.mouse.move(box.x + box.width - 4, box.y + box.height / 2);
    const tooltip = page.locator("#usage rc-chart output");
    await tooltip.filter({ hasText: /Successful: \d/ }).waitFor({ timeout: 180_000 });
  }));

test("a range link leads back to the chart", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser);
    await createKey(page, "ranged");
    await page.goto(`${base}/dashboard`);
    await page.setViewportSize({ width: 390, height: 500 });
    await page.getByRole("link", { name: "30 days" }).click();
    await page.waitForURL(/range=month#usage$/);
    assert.ok(await page.locator("#usage-title").isVisible());
    assert.ok((await page.evaluate(() => window.scrollY)) > 0, "the page stays at the chart");
  }));

test("the key page is in the language of its reader", () =>
  withBrowser(async (browser) => {
    for (const [locale, tabs] of [
      ["tr", ["Genel bakış", "Kullanım", "Güvenlik", "Ayarlar"]],
      ["ru", ["Обзор", "Использование", "Безопасность", "Настройки"]],
    ]) {
      const { page } = await signedUp(browser);
      await createKey(page, "spoken");
      await page.goto(`${page.url().split("?")[0]}?lang=${locale}`);
      assert.deepEqual(await page.locator(".subnav a").allTextContents(), tabs);
      assert.equal(await page.locator("html").getAttribute("lang"), locale);
    }
  }));
