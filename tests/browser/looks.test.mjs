// Every page and state of a key holder and an operator, in every look.
import assert from "node:assert/strict";
import { test } from "node:test";
import { PASSWORD, call, code, fill, makeKey, signIn, signedUp, until } from "./account.mjs";
import { accessible, base, browsing, fits, looks, open } from "./setup.mjs";

async function inEveryLook(page, what) {
  for (const { scheme, width } of looks) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    await accessible(page, `${what} ${scheme} ${width}`);
    await fits(page, `${what} ${scheme} ${width}`);
  }
}

test("the pages of strangers are open to everyone", () =>
  browsing(async (browser) => {
    const page = await open(browser, "/sign-up");
    await inEveryLook(page, "sign up");
    await fill(page, { username: "x-y-z", password: "password123", again: "password123" });
    await page.getByRole("button", { name: "Sign up" }).click();
    await page.getByRole("alert").waitFor();
    await inEveryLook(page, "sign up, refused");
    await signIn(page, "nobody", "no password");
    await page.getByRole("alert").waitFor();
    await inEveryLook(page, "sign in, refused");
  }));

test("the pages of key holders are open to everyone", () =>
  browsing(async (browser) => {
    const { page, username } = await signedUp(browser);
    await inEveryLook(page, "no keys");
    await page.fill("#name", "a".repeat(100));
    await page.getByRole("button", { name: "Make the key" }).click();
    await inEveryLook(page, "secret");
    const secret = await makeKey(page, "looked at");
    await until(secret, 200);
    await call(secret, "/live");
    for (const range of ["day", "month", "year"]) {
      await page.goto(`${page.url().split("?")[0]}?range=${range}`);
      await inEveryLook(page, `key, ${range}`);
    }
    await page.locator("details").evaluateAll((all) => all.forEach((details) => details.setAttribute("open", "")));
    await inEveryLook(page, "key, all open");
    await page.getByRole("button", { name: "Rename" }).evaluate((button) => button.form.elements.name.removeAttribute("required"));
    await page.fill("#name", " ");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("alert").waitFor();
    await inEveryLook(page, "key, refused");
    for (const path of ["", "/account", "/account/second-factor", "/log"]) {
      await page.goto(`${base}/dashboard${path}`);
      await inEveryLook(page, `/dashboard${path}`);
    }
    await page.goto(`${base}/dashboard/account/second-factor`);
    const factor = (await page.locator("pre").textContent()).replaceAll(" ", "");
    await fill(page, { code: code(factor), password: PASSWORD });
    await page.getByRole("button", { name: "Switch it on" }).click();
    await inEveryLook(page, "recovery codes");
    await page.getByRole("link", { name: "I have kept them" }).click();
    await inEveryLook(page, "account with a second factor");
    await page.getByRole("button", { name: "Sign out" }).click();
    await signIn(page, username, PASSWORD);
    await inEveryLook(page, "second factor asked for");
  }));

test("the pages of operators are open to everyone", () =>
  browsing(async (browser) => {
    const { page } = await signedUp(browser);
    await makeKey(page, "wish");
    await page.getByText("Ask for more").click();
    await page.fill("#reason", "Looks.");
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    const office = await open(browser, "/sign-in");
    await signIn(office, "operator", process.env.ROLLCALL_OPERATOR_PASSWORD);
    await office.getByRole("heading", { name: "Your keys" }).waitFor();
    for (const path of ["", "/accounts", "/keys", "/log"]) {
      await office.goto(`${base}/operator${path}`);
      await inEveryLook(office, `/operator${path}`);
    }
    await office.goto(`${base}/operator`);
    await office.getByRole("button", { name: "Make an invitation" }).click();
    assert.match(await office.locator("pre").textContent(), /\/sign-up\?invitation=[0-9a-f]{64}$/);
    await inEveryLook(office, "an invitation");
  }));
