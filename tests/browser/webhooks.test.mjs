import assert from "node:assert/strict";
import { test } from "node:test";
import { signedUp } from "./account.mjs";
import { assertLooks, base, withBrowser } from "./setup.mjs";

test("a webhook is created with the keyboard, tested, looked at and deleted", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser);
    await page.goto(`${base}/dashboard/webhooks`);
    await assertLooks(page, "webhooks");
    await page.locator("#name").focus();
    await page.keyboard.type("My bot");
    await page.keyboard.press("Tab");
    // A name that exists nowhere: the program of these tests sends nothing to this machine.
    await page.keyboard.type("https://hooks.invalid/in");
    await page.getByLabel("A vote", { exact: true }).focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Servers of these events").focus();
    await page.keyboard.type("My");
    await page.locator("#name").focus();
    await page.keyboard.press("Enter");
    const secret = await page.locator("#secret").textContent();
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    await assertLooks(page, "webhook secret");
    await page.getByRole("link", { name: "I have saved the secret" }).click();
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("The test failed: the host is not known or has no public address").waitFor();
    await assertLooks(page, "webhook log");
    await page.getByRole("link", { name: "Test", exact: true }).click();
    await page.getByText("This is a test.").waitFor();
    await assertLooks(page, "webhook delivery");
    await page.getByRole("navigation", { name: "Pages of this webhook" }).getByRole("link", { name: "Settings" }).click();
    assert.equal(await page.inputValue("#url"), "https://hooks.invalid/in");
    assert.ok(!(await page.content()).includes(secret), "the secret is shown once");
    await assertLooks(page, "webhook settings");
    await page.getByText("Delete this webhook", { exact: true }).click();
    await page.getByLabel("Yes, delete this webhook").check();
    await page.getByRole("button", { name: "Delete webhook" }).click();
    await page.getByText("Webhook deleted.").waitFor();
  }));
