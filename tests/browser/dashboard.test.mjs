import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PASSWORD, call, fill, createKey, signIn, signedUp, readSecret, totpCode, waitForStatus, openTab } from "./account.mjs";
import { base, withBrowser, open, until } from "./setup.mjs";

test("sign up and make the first API call with the keyboard only", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/");
    await page.getByRole("link", { name: "Dashboard" }).first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Sign up" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("#username").focus();
    await page.keyboard.type(`keys-${process.pid}`);
    for (const text of [PASSWORD, PASSWORD]) {
      await page.keyboard.press("Tab");
      await page.keyboard.type(text);
    }
    await page.keyboard.press("Enter");
    await page.getByText("Welcome! Create your first API key below, or add your server under Servers.").waitFor();
    await page.locator("#name").focus();
    await page.keyboard.type("first");
    await page.keyboard.press("Enter");
    const secret = await page.locator("#secret").textContent();
    assert.match(secret, /^rc_[0-9A-Za-z]{36}$/);
    const line = await page.locator("pre").nth(1).textContent();
    assert.equal(line, `curl -H 'X-API-Key: ${secret}' '${base}/v1/servers?sort=players&limit=3'`);
    assert.equal((await waitForStatus(secret, 200)).status, 200);
    await page.getByRole("link", { name: "I have saved the secret" }).click();
    assert.ok(!(await page.content()).includes(secret), "the secret is shown once");
  }));

test("the secret can be copied", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.fill("#name", "copied");
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), await page.locator("#secret").textContent());
  }));

test("both secrets work after a rotation until the old one is revoked", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser);
    const old = await createKey(page, "rotating");
    await waitForStatus(old, 200);
    await openTab(page, "Security");
    await page.selectOption("#grace", "1h");
    await page.getByRole("button", { name: "Rotate" }).click();
    await page.getByText("The old secret stays valid for a while").waitFor();
    const fresh = await readSecret(page);
    assert.equal((await waitForStatus(fresh, 200)).status, 200);
    assert.equal((await call(old)).status, 200);
    await openTab(page, "Security");
    await page.getByRole("button", { name: "Revoke old secret" }).click();
    await page.getByText("Old secret revoked.").waitFor();
    assert.equal((await waitForStatus(old, 401)).status, 401);
    assert.equal((await call(fresh)).status, 200);
  }));

test("a key is disabled, enabled, renamed and deleted", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser);
    const secret = await createKey(page, "switched");
    await waitForStatus(secret, 200);
    await openTab(page, "Settings");
    await page.getByRole("button", { name: "Disable key" }).click();
    assert.equal((await waitForStatus(secret, 403)).status, 403);
    await page.getByRole("button", { name: "Enable key" }).click();
    assert.equal((await waitForStatus(secret, 200)).status, 200);
    await page.fill("#name", "another <name> & more");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { name: "another <name> & more" }).waitFor();
    await page.getByText("Delete this key permanently").click();
    await page.getByLabel("Yes, delete this key").check();
    await page.getByRole("button", { name: "Delete key" }).click();
    await page.getByText("API key deleted.").waitFor();
    assert.equal((await waitForStatus(secret, 401)).status, 401);
    await page.getByRole("link", { name: "Log", exact: true }).click();
    const actions = await page.locator("tbody strong").allTextContents();
    assert.deepEqual(actions, ["key deleted", "key renamed", "key enabled", "key disabled", "key created", "account created"]);
  }));

test("new API calls appear in the usage report", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser);
    const secret = await createKey(page, "watched");
    await waitForStatus(secret, 200);
    await openTab(page, "Usage");
    while (!(await page.getByText("Show as table").first().isVisible())) {
      await page.reload();
    }
    await page.getByText("Show as table").first().click();
    for (let i = 0; i < 4; i += 1) {
      await call(secret, i % 2 ? "/live" : "/servers?limit=0");
    }
    await page.locator("#usage td", { hasText: "/live" }).waitFor({ timeout: 180_000 });
    const rows = await page.locator("#usage table").last().locator("tbody tr").allTextContents();
    assert.ok(rows.some((row) => /Client errors\s*4xx\s*2/.test(row)), rows.join());
    assert.ok(await page.locator("#usage details[open]").count(), "an open table stays open");
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download as CSV" }).click()]);
    assert.equal(file.suggestedFilename(), "rollcall-usage-day.csv");
  }));

test("last use and remaining quota follow the live usage", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser);
    const secret = await createKey(page, "fresh");
    // Of the day: that of the minute is whole again after a minute.
    const left = page.locator("#key-quota dd").nth(1).locator("data").first();
    await page.getByText("never used").waitFor();
    const before = Number(await left.getAttribute("value"));
    const list = await page.context().newPage();
    await list.goto(`${base}/dashboard`);
    await list.getByText("never used").waitFor();
    await waitForStatus(secret, 200);
    for (const shown of [page, list]) {
      // Only a visible page is updated.
      await shown.bringToFront();
      await shown.getByText("never used").waitFor({ state: "detached", timeout: 180_000 });
    }
    await page.bringToFront();
    const isLess = (before) => Number(document.querySelectorAll("#key-quota dd")[1].querySelector("data").value) < before;
    await page.waitForFunction(isLess, before, { timeout: 180_000 });
  }));

test("a password from the command line is replaced at the first sign-in, with the keyboard and without scripts", () =>
  withBrowser(async (browser) => {
    const page = await open(browser, "/sign-in", undefined, { javaScriptEnabled: false });
    await signIn(page, "newcomer", process.env.ROLLCALL_NEWCOMER_PASSWORD);
    await page.getByRole("heading", { name: "Change password" }).waitFor();
    await page.goto(`${base}/dashboard`);
    await page.getByText("An operator made your password.").waitFor();
    await page.locator("#password").focus();
    for (const text of [process.env.ROLLCALL_NEWCOMER_PASSWORD, PASSWORD, PASSWORD]) {
      await page.keyboard.type(text);
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await page.getByText("Password changed.").waitFor();
    await page.goto(`${base}/dashboard/confirm?next=/dashboard/log`);
    // The browser focuses the field a moment after the page has loaded.
    await page.locator("#password:focus").waitFor();
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Log" }).waitFor();
  }));

test("the dashboard works without scripts", () =>
  withBrowser(async (browser) => {
    const { page, username } = await signedUp(browser, { javaScriptEnabled: false });
    const secret = await createKey(page, "plain");
    await waitForStatus(secret, 200);
    await openTab(page, "Usage");
    while (!(await page.locator("#usage svg").first().isVisible())) {
      await page.reload();
    }
    await openTab(page, "Security");
    await page.getByRole("button", { name: "Rotate" }).click();
    await waitForStatus(await readSecret(page), 200);
    await openTab(page, "Settings");
    await page.getByRole("button", { name: "Disable key" }).click();
    await waitForStatus(secret, 403);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.goto(`${base}/dashboard`);
    await fill(page, { username, password: PASSWORD });
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("link", { name: "plain" }).click();
    await openTab(page, "Settings");
    await page.getByRole("button", { name: "Enable key" }).waitFor();
  }));

test("signing in with a second factor accepts app codes and recovery codes", () =>
  withBrowser(async (browser) => {
    const { page, username } = await signedUp(browser);
    await page.goto(`${base}/dashboard/account/second-factor`);
    const secret = (await page.locator("pre").textContent()).replaceAll(" ", "");
    const file = page.getByRole("link", { name: "Download as text file" });
    // The code of the previous step, so that the current one is still unused for signing in. It is too old when a new step begins
    // before it arrives: then the page asks again.
    await until("the code is accepted", async () => {
      await fill(page, { code: totpCode(secret, Date.now() - 30_000), password: PASSWORD });
      await page.getByRole("alert").evaluateAll((alerts) => alerts.forEach((alert) => alert.remove()));
      await page.getByRole("button", { name: "Turn on" }).click();
      await file.or(page.getByRole("alert")).waitFor();
      return file.isVisible();
    });
    const codes = (await page.locator("pre").textContent()).trim().split("\n");
    assert.equal(codes.length, 10);
    const [download] = await Promise.all([page.waitForEvent("download"), file.click()]);
    assert.equal(download.suggestedFilename(), "rollcall-recovery-codes.txt");
    assert.equal(readFileSync(await download.path(), "utf8"), `Rollcall recovery codes of ${username}\n\n${codes.join("\n")}\n`);
    const changes = [];
    for (const nextCode of [() => totpCode(secret), () => codes[3]]) {
      await page.getByRole("button", { name: "Sign out" }).click();
      await signIn(page, username, PASSWORD);
      await page.getByRole("heading", { name: "Two-factor code" }).waitFor();
      await page.goto(`${base}/dashboard`);
      assert.match(page.url(), /\/sign-in/, "the password alone gives no access");
      await page.goto(`${base}/sign-in/code`);
      await page.fill("#code", "000000");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("alert").waitFor();
      await page.fill("#code", nextCode());
      await page.getByRole("button", { name: "Continue" }).click();
      // The first sign-in tells that the second factor was turned on; the second does not.
      const link = page.getByRole("link", { name: "Continue" });
      await link.or(page.getByRole("button", { name: "Sign out" })).waitFor();
      changes.push(await page.locator("main li strong").allTextContents());
      if (await link.count()) {
        await link.click();
      }
      await page.getByRole("button", { name: "Sign out" }).waitFor();
    }
    assert.deepEqual(changes[0], ["second factor enabled"]);
    assert.equal(changes[1].includes("second factor enabled"), false);
  }));

test("an operator grants a limit request", () =>
  withBrowser(async (browser) => {
    const { page, username } = await signedUp(browser);
    const secret = await createKey(page, `limits ${username}`);
    await openTab(page, "Settings");
    await page.getByText("Request higher limits").click();
    await fill(page, { per_minute: "1200", reason: "A busy <site>." });
    await page.getByRole("button", { name: "Send request" }).click();
    await page.getByText("An operator will reply here.").waitFor();
    const operator = await open(browser, "/sign-in");
    await signIn(operator, "operator", process.env.ROLLCALL_OPERATOR_PASSWORD);
    await operator.getByRole("link", { name: "Operator" }).click();
    await operator.getByRole("navigation", { name: "Operator" }).getByRole("link", { name: "Limit requests" }).click();
    const request = operator.locator("form", { hasText: `limits ${username}` });
    assert.equal(await request.locator("blockquote").textContent(), "A busy <site>.");
    await request.getByLabel("Reply").fill("Enjoy.");
    await request.getByRole("button", { name: "Grant" }).click();
    await operator.getByText("Limit request granted.").waitFor();
    await page.reload();
    await page.getByText("Your last limit request was granted. “Enjoy.”").waitFor();
    await waitForStatus(secret, 200, "1200");
  }));

test("failed sign-ins require a CAPTCHA, and the owner still gets in", () =>
  withBrowser(async (browser) => {
    const { page, username } = await signedUp(browser);
    await page.getByRole("button", { name: "Sign out" }).click();
    const attacker = await open(browser, "/sign-in");
    for (let tries = 0; tries < 10; tries += 1) {
      await signIn(attacker, username, `wrong ${tries}`);
      await attacker.getByText("Wrong username or password.").waitFor();
    }
    await signIn(attacker, username, PASSWORD);
    await attacker.getByText("Your browser must solve a CAPTCHA").waitFor();
    await attacker.fill("#password", "wrong again");
    await attacker.getByRole("button", { name: "Sign in", exact: true }).click();
    await attacker.getByText("Wrong username or password.").waitFor();
    await signIn(page, username, PASSWORD);
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    const elsewhere = await open(browser, "/sign-in");
    await signIn(elsewhere, username, PASSWORD);
    await elsewhere.fill("#password", PASSWORD);
    await elsewhere.getByRole("button", { name: "Sign in", exact: true }).click();
    await elsewhere.getByRole("heading", { name: "API keys" }).waitFor();
  }));
