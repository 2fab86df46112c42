// Accessibility and layout of all dashboard pages, in light and dark, on phone and desktop.
import { test } from "node:test";
import { PASSWORD, call, fill, createKey, signIn, signedUp, totpCode, waitForStatus } from "./account.mjs";
import { assertLooks, base, withBrowser, open } from "./setup.mjs";

test("sign-in and sign-up pages are accessible", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/sign-up");
    await assertLooks(page, "sign up");
    await fill(page, { username: "x-y-z", password: "password123", again: "password123" });
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.getByRole("alert").waitFor();
    await assertLooks(page, "sign up, rejected");
    await signIn(page, "nobody", "no password");
    await page.getByRole("alert").waitFor();
    await assertLooks(page, "sign in, rejected");
  }));

test("dashboard pages are accessible", () =>
  withBrowser(async (browser) => {
    const { page, username } = await signedUp(browser);
    await assertLooks(page, "no keys");
    await page.fill("#name", "a".repeat(100));
    await page.getByRole("button", { name: "Create key" }).click();
    await assertLooks(page, "secret");
    const secret = await createKey(page, "accessible");
    await waitForStatus(secret, 200);
    await call(secret, "/live");
    const key = page.url().split("?")[0];
    await assertLooks(page, "key");
    for (const range of ["hour", "day", "month", "year"]) {
      await page.goto(`${key}/usage?range=${range}`);
      await assertLooks(page, `key, ${range}`);
    }
    await page.goto(`${key}/security`);
    await assertLooks(page, "key, security");
    await page.goto(`${key}/settings`);
    await page.locator("details").evaluateAll((all) => all.forEach((details) => details.setAttribute("open", "")));
    await assertLooks(page, "key, all open");
    await page.getByRole("button", { name: "Rename" }).evaluate((button) => button.form.elements.name.removeAttribute("required"));
    await page.fill("#name", " ");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("alert").waitFor();
    await assertLooks(page, "key, rejected");
    for (const path of ["", "/account", "/account/password", "/account/second-factor", "/confirm", "/log"]) {
      await page.goto(`${base}/dashboard${path}`);
      await assertLooks(page, `/dashboard${path}`);
    }
    await page.goto(`${base}/dashboard/account/second-factor`);
    const factor = (await page.locator("pre").textContent()).replaceAll(" ", "");
    await fill(page, { code: totpCode(factor), password: PASSWORD });
    await page.getByRole("button", { name: "Turn on" }).click();
    await assertLooks(page, "recovery codes");
    const recovery = (await page.locator("pre").textContent()).trim().split("\n")[0];
    await page.getByRole("link", { name: "I have saved the codes" }).click();
    await assertLooks(page, "account with a second factor");
    await page.getByRole("button", { name: "Sign out" }).click();
    await signIn(page, username, PASSWORD);
    await assertLooks(page, "second factor requested");
    await page.fill("#code", recovery);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Changes to your account" }).waitFor();
    await assertLooks(page, "changes since the last sign-in");
    await page.goto(`${base}/dashboard/confirm`);
    await assertLooks(page, "a proof with a code");
  }));
