import assert from "node:assert/strict";
import { test } from "node:test";
import { PASSWORD, call, code, fill, makeKey, signIn, signedUp, takeSecret, until } from "./account.mjs";
import { base, browsing, open } from "./setup.mjs";

test("from signing up to the first call, by keyboard alone", () =>
  browsing(async (browser) => {
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
    await page.getByText("Welcome. Make your first key below").waitFor();
    await page.locator("#name").focus();
    await page.keyboard.type("first");
    await page.keyboard.press("Enter");
    const secret = await page.locator("#secret").textContent();
    assert.match(secret, /^rc_[0-9A-Za-z]{36}$/);
    const line = await page.locator("pre").nth(1).textContent();
    assert.equal(line, `curl -H 'X-API-Key: ${secret}' '${base}/v1/servers?sort=players&limit=3'`);
    assert.equal((await until(secret, 200)).status, 200);
    await page.getByRole("link", { name: "I have it" }).click();
    assert.ok(!(await page.content()).includes(secret), "it is shown once");
  }));

test("a secret can be copied", () =>
  browsing(async (browser) => {
    const { page } = await signedUp(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.fill("#name", "copied");
    await page.getByRole("button", { name: "Make the key" }).click();
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    assert.equal(await page.evaluate("navigator.clipboard.readText()"), await page.locator("#secret").textContent());
  }));

test("both secrets live while a key is rotated, then one", () =>
  browsing(async (browser) => {
    const { page } = await signedUp(browser);
    const old = await makeKey(page, "rotating");
    await until(old, 200);
    await page.selectOption("#grace", "1h");
    await page.getByRole("button", { name: "Rotate" }).click();
    await page.getByText("The secret before stays good until").waitFor();
    const young = await takeSecret(page);
    assert.equal((await until(young, 200)).status, 200);
    assert.equal((await call(old)).status, 200);
    await page.getByRole("button", { name: "End the old secret now" }).click();
    await page.getByText("The old secret has ended.").waitFor();
    assert.equal((await until(old, 401)).status, 401);
    assert.equal((await call(young)).status, 200);
  }));

test("a key is disabled, enabled, renamed and deleted", () =>
  browsing(async (browser) => {
    const { page } = await signedUp(browser);
    const secret = await makeKey(page, "switched");
    await until(secret, 200);
    await page.getByRole("button", { name: "Disable this key" }).click();
    assert.equal((await until(secret, 403)).status, 403);
    await page.getByRole("button", { name: "Enable this key" }).click();
    assert.equal((await until(secret, 200)).status, 200);
    await page.fill("#name", "another <name> & more");
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("heading", { name: "another <name> & more" }).waitFor();
    await page.getByText("Delete this key for good").click();
    await page.getByLabel("I am sure").check();
    await page.getByRole("button", { name: "Delete the key" }).click();
    await page.getByText("The key is deleted.").waitFor();
    assert.equal((await until(secret, 401)).status, 401);
    await page.getByRole("link", { name: "Log" }).click();
    const actions = await page.locator("tbody strong").allTextContents();
    assert.deepEqual(actions, ["key deleted", "key renamed", "key enabled", "key disabled", "key created", "account created"]);
  }));

test("the calls just made appear by themselves", () =>
  browsing(async (browser) => {
    const { page } = await signedUp(browser);
    const secret = await makeKey(page, "watched");
    await until(secret, 200);
    await page.reload();
    await page.getByText("The figures as a table").first().click();
    for (let i = 0; i < 4; i += 1) {
      await call(secret, i % 2 ? "/live" : "/servers?limit=0");
    }
    await page.locator("#usage td", { hasText: "/live" }).waitFor({ timeout: 20_000 });
    const rows = await page.locator("#usage table").last().locator("tbody tr").allTextContents();
    assert.ok(rows.some((row) => /Refused\s*4xx\s*2/.test(row)), rows.join());
    assert.ok(await page.locator("#usage details[open]").count(), "an open table stays open");
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download as CSV" }).click()]);
    assert.equal(file.suggestedFilename(), "rollcall-usage-day.csv");
  }));

test("everything works without scripts", () =>
  browsing(async (browser) => {
    const { page, username } = await signedUp(browser, { javaScriptEnabled: false });
    const secret = await makeKey(page, "plain");
    await until(secret, 200);
    while (!(await page.locator("#usage svg").first().isVisible())) {
      await page.reload();
    }
    await page.getByRole("button", { name: "Rotate" }).click();
    await until(await takeSecret(page), 200);
    await page.getByRole("button", { name: "Disable this key" }).click();
    await until(secret, 403);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.goto(`${base}/dashboard`);
    await fill(page, { username, password: PASSWORD });
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "plain" }).click();
    await page.getByRole("button", { name: "Enable this key" }).waitFor();
  }));

test("a second factor is asked for, and a recovery code does as well", () =>
  browsing(async (browser) => {
    const { page, username } = await signedUp(browser);
    await page.goto(`${base}/dashboard/account/second-factor`);
    const secret = (await page.locator("pre").textContent()).replaceAll(" ", "");
    // Of the step before, so that the step of now is still good for signing in.
    await fill(page, { code: code(secret, Date.now() - 30_000), password: PASSWORD });
    await page.getByRole("button", { name: "Switch it on" }).click();
    const codes = (await page.locator("pre").textContent()).trim().split("\n");
    assert.equal(codes.length, 10);
    for (const answer of [() => code(secret), () => codes[3]]) {
      await page.getByRole("button", { name: "Sign out" }).click();
      await signIn(page, username, PASSWORD);
      await page.getByRole("heading", { name: "One more thing" }).waitFor();
      await page.goto(`${base}/dashboard`);
      assert.match(page.url(), /\/sign-in/, "half a sign-in opens nothing");
      await page.goto(`${base}/sign-in/code`);
      await page.fill("#code", "000000");
      await page.getByRole("button", { name: "Go on" }).click();
      await page.getByRole("alert").waitFor();
      await page.fill("#code", answer());
      await page.getByRole("button", { name: "Go on" }).click();
      await page.getByRole("button", { name: "Sign out" }).waitFor();
    }
  }));

test("an operator grants what a holder asks for", () =>
  browsing(async (browser) => {
    const { page, username } = await signedUp(browser);
    const secret = await makeKey(page, `wishing ${username}`);
    await page.getByText("Ask for more").click();
    await fill(page, { per_minute: "1200", reason: "A busy <site>." });
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.getByText("An operator will answer here.").waitFor();
    const office = await open(browser, "/sign-in");
    await signIn(office, "operator", process.env.ROLLCALL_OPERATOR_PASSWORD);
    await office.getByRole("link", { name: "Operator" }).click();
    const wish = office.locator("form", { hasText: `wishing ${username}` });
    assert.equal(await wish.locator("blockquote").textContent(), "A busy <site>.");
    await wish.getByLabel("Your answer").fill("Enjoy.");
    await wish.getByRole("button", { name: "Grant" }).click();
    await office.getByText("The limits are granted").waitFor();
    await page.reload();
    await page.getByText("Your last wish was granted. “Enjoy.”").waitFor();
    await until(secret, 200, "1200");
  }));

test("who guesses must work, and the owner gets in all the same", () =>
  browsing(async (browser) => {
    const { page, username } = await signedUp(browser);
    await page.getByRole("button", { name: "Sign out" }).click();
    const stranger = await open(browser, "/sign-in");
    for (let tries = 0; tries < 10; tries += 1) {
      await signIn(stranger, username, `wrong ${tries}`);
      await stranger.getByText("The username or the password is wrong.").waitFor();
    }
    await signIn(stranger, username, PASSWORD);
    await stranger.getByText("a try now takes a moment of your computer's work").waitFor();
    await stranger.fill("#password", "wrong again");
    await stranger.getByRole("button", { name: "Sign in" }).click();
    await stranger.getByText("The username or the password is wrong.").waitFor();
    await signIn(page, username, PASSWORD);
    await page.getByRole("heading", { name: "Your keys" }).waitFor();
    const elsewhere = await open(browser, "/sign-in");
    await signIn(elsewhere, username, PASSWORD);
    await elsewhere.fill("#password", PASSWORD);
    await elsewhere.getByRole("button", { name: "Sign in" }).click();
    await elsewhere.getByRole("heading", { name: "Your keys" }).waitFor();
  }));
