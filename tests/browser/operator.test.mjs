// The operator pages: looks and accessibility, and acts with and without scripts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey, openTab, signIn, signedUp, waitForStatus } from "./account.mjs";
import { assertFits, assertLooks, base, open, withBrowser } from "./setup.mjs";

async function signedInOperator(browser, options) {
  const page = await open(browser, "/sign-in", undefined, options);
  await signIn(page, "operator", process.env.ROLLCALL_OPERATOR_PASSWORD);
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  return page;
}

/** The address of the page of an account. */
async function accountPage(operator, username) {
  await operator.goto(`${base}/operator/accounts?find=${username}`);
  return operator.getByRole("link", { name: username, exact: true }).getAttribute("href");
}

test("operator pages are accessible and fit", () =>
  withBrowser(async (browser) => {
    const { page, username } = await signedUp(browser);
    const secret = await createKey(page, "limits");
    const key = new URL(page.url()).pathname.split("/").pop();
    await openTab(page, "Settings");
    await page.getByText("Request higher limits").click();
    await page.fill("#reason", "Layout test.");
    await page.getByRole("button", { name: "Send request" }).click();
    await waitForStatus(secret, 200);
    const operator = await signedInOperator(browser);
    await operator.goto(`${base}/operator`);
    await operator.locator("#usage-chart svg").first().waitFor();
    const server = await (await fetch(`${base}/v1/servers?limit=1`, { headers: { "X-API-Key": secret } })).json();
    const account = await accountPage(operator, username);
    const paths = ["/operator", "/operator/limit-requests", "/operator/accounts", account, "/operator/keys", `/operator/keys/${key}`];
    paths.push("/operator/servers", "/operator/add-server", `/operator/servers/${server.data.servers[0].slug}`, "/operator/log");
    for (const path of paths) {
      await operator.goto(base + path);
      for (const summary of await operator.locator(".sheet.danger > summary").all()) {
        await summary.click();
      }
      await assertLooks(operator, path.replace(/\?.*/, ""));
    }
    await operator.goto(`${base}/operator/invitations`);
    await operator.getByRole("button", { name: "Create invitation" }).click();
    assert.match(await operator.locator("pre").textContent(), /\/sign-up\?invitation=[0-9a-f]{64}$/);
    await operator.locator("summary", { hasText: "Revoke" }).first().click();
    await assertLooks(operator, "an invitation");
  }));

test("limits are set on the page of a key, and the figures follow live", () =>
  withBrowser(async (browser) => {
    const { page, username } = await signedUp(browser);
    const secret = await createKey(page, `drill ${username}`);
    const operator = await signedInOperator(browser);
    await operator.goto(`${base}/operator/keys?find=${username}`);
    await operator.getByRole("link", { name: `drill ${username}` }).click();
    await operator.getByText("never used").waitFor();
    await operator.fill("#per_minute", "1234");
    await operator.getByRole("button", { name: "Set limits" }).click();
    await operator.getByText("Limits set.").waitFor();
    assert.equal(new URL(operator.url()).searchParams.get("find"), username, "the search is kept");
    await waitForStatus(secret, 200, "1234");
    await operator.getByText("never used").waitFor({ state: "detached", timeout: 180_000 });
    await operator.getByRole("link", { name: "All API keys" }).click();
    assert.equal(await operator.inputValue("#find"), username);
  }));

for (const javaScriptEnabled of [true, false]) {
  test(`an account is disabled after a confirmation ${javaScriptEnabled ? "with the keyboard" : "without scripts"}`, () =>
    withBrowser(async (browser) => {
      const { username } = await signedUp(browser);
      const operator = await signedInOperator(browser, { javaScriptEnabled });
      await operator.goto(`${base}/operator/accounts?find=${username}`);
      await operator.locator("summary", { hasText: "Disable" }).focus();
      await operator.keyboard.press("Enter");
      // The box must be checked: the form is not sent before.
      await operator.getByRole("button", { name: "Disable", exact: true }).click();
      assert.equal(await operator.getByText("Account disabled.").count(), 0);
      await operator.getByRole("checkbox").focus();
      await operator.keyboard.press("Space");
      await operator.keyboard.press("Tab");
      await operator.keyboard.press("Enter");
      await operator.getByText("Account disabled.").waitFor();
      assert.equal(await operator.inputValue("#find"), username, "the search is kept");
      await operator.getByRole("button", { name: `Enable ${username}` }).click();
      await operator.getByText("Account enabled.").waitFor();
    }));
}

test("a server is added, edited and removed", () =>
  withBrowser(async (browser) => {
    const operator = await signedInOperator(browser);
    const slug = `browser-${process.pid}`;
    await operator.goto(`${base}/operator/servers`);
    await operator.getByRole("link", { name: "Add server" }).click();
    await operator.fill("#address", `${slug}.example.org`);
    await operator.fill("#slug", slug);
    await operator.fill("#country", "Atlantis");
    await operator.getByRole("button", { name: "Add server" }).click();
    await operator.getByRole("alert").filter({ hasText: "The server was not saved: country must be" }).waitFor();
    await operator.fill("#country", "Iceland");
    await operator.getByRole("button", { name: "Add server" }).click();
    await operator.getByText("Server added.").waitFor();
    await operator.fill("#name", "Seen <in> the browser");
    await operator.getByLabel("Pinged by the tracker").uncheck();
    await operator.getByRole("button", { name: "Save settings" }).click();
    await operator.getByText("Settings saved.").waitFor();
    await operator.getByRole("heading", { name: "Seen <in> the browser" }).waitFor();
    assert.equal((await fetch(`${base}/servers/${slug}`)).status, 200);
    await operator.getByText("Remove this server permanently").click();
    await operator.getByLabel("Yes, remove this server").check();
    await operator.getByRole("button", { name: "Remove server" }).click();
    await operator.getByText("Server removed with its history.").waitFor();
  }));

test("the operator pages are in the language of their reader", () =>
  withBrowser(async (browser) => {
    const operator = await signedInOperator(browser);
    for (const [locale, links] of [
      ["tr", ["Genel bakış", "Sınır istekleri", "Hesaplar", "API anahtarları", "Sunucular", "Davetler", "Günlük"]],
      ["ru", ["Обзор", "Запросы лимитов", "Аккаунты", "API-ключи", "Серверы", "Приглашения", "Журнал"]],
    ]) {
      await operator.goto(`${base}/operator?lang=${locale}`);
      assert.deepEqual(await operator.locator(".subnav a").allTextContents(), links);
      await assertFits(operator, locale);
    }
  }));
