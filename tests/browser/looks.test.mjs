// Accessibility and layout of all dashboard pages, in light and dark, on phone and desktop.
import { test } from "node:test";
import { PASSWORD, call, fill, createKey, signIn, signedUp, totpCode, waitForStatus } from "./account.mjs";
import { assertAccessible, base, withBrowser, assertFits, variants, open } from "./setup.mjs";

async function checkAllVariants(page, what) {
  for (const { scheme, width } of variants) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    await assertAccessible(page, `${what} ${scheme} ${width}`);
    await assertFits(page, `${what} ${scheme} ${width}`);
  }
}

test("sign-in and sign-up pages are accessible", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/sign-up");
    await checkAllVariants(page, "sign up");
    await fill(page, { username: "x-y-z", password: "password123", again: "password123" });
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.getByRole("alert").waitFor();
    await checkAllVariants(page, "sign up, rejected");
    await signIn(page, "nobody", "no password");
    await page.getByRole("alert").waitFor();
    await checkAllVariants(page, "sign in, rejected");
  }));

test("dashboard pages are accessible", () =>
  withBrowser(async (browser) => {
    const { page, username } = await signedUp(browser);
    await checkAllVariants(page, "no keys");
    await page.fill("#name", "a".repeat(100));
    await page.getByRole("button", { name: "Create key" }).click();
    await checkAllVariants(page, "secret");
    const secret = await createKey(page, "accessible");
    await waitForStatus(secret, 200);
    await call(secret, "/live");
    const key = page.url().split("?")[0];
    await checkAllVariants(page, "key");
    for (const range of ["hour", "day", "month", "year"]) {
      await page.goto(`${key}/usage?range=${range}`);
      await checkAllVariants(page, `key, ${range}`);
    }
    await page.goto(`${key}/security`);
    await checkAllVariants(page, "key, security");
    await page.goto(`${key}/settings`);
    await page.locator("details").evaluateAll((all) => all.forEach((details) => details.setAttribute("open", "")));
    await checkAllVariants(page, "key, all open");
    await page.getByRole("button", { name: "Rename" }).evaluate((button) => button.form.elements.name.removeAttribute("required"));
    await page.fill("#name", " ");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("alert").waitFor();
    await checkAllVariants(page, "key, rejected");
    for (const path of ["", "/account", "/account/password", "/account/second-factor", "/confirm", "/log"]) {
      await page.goto(`${base}/dashboard${path}`);
      await checkAllVariants(page, `/dashboard${path}`);
    }
    await page.goto(`${base}/dashboard/account/second-factor`);
    const factor = (await page.locator("pre").textContent()).replaceAll(" ", "");
    await fill(page, { code: totpCode(factor), password: PASSWORD });
    await page.getByRole("button", { name: "Turn on" }).click();
    await checkAllVariants(page, "recovery codes");
    const recovery = (await page.locator("pre").textContent()).trim().split("\n")[0];
    await page.getByRole("link", { name: "I have saved the codes" }).click();
    await checkAllVariants(page, "account with a second factor");
    await page.getByRole("button", { name: "Sign out" }).click();
    await signIn(page, username, PASSWORD);
    await checkAllVariants(page, "second factor requested");
    await page.fill("#code", recovery);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("heading", { name: "Changes to your account" }).waitFor();
    await checkAllVariants(page, "changes since the last sign-in");
    await page.goto(`${base}/dashboard/confirm`);
    await checkAllVariants(page, "a proof with a code");
  }));
