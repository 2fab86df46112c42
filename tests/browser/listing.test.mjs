// A user adds a server, gets a code to claim it and edits its page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { signedUp } from "./account.mjs";
import { assertLooks, base, withBrowser } from "./setup.mjs";

test("a user adds a server, claims it and edits its page", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser);
    await page.goto(`${base}/servers`);
    await page.getByRole("link", { name: "Add your server" }).click();
    await assertLooks(page, "add-server");
    const host = `listing-${process.pid}.example.org`;
    await page.fill("#address", host);
    await page.getByRole("button", { name: "Ping" }).click();
    await page.getByRole("heading", { name: "What came back" }).waitFor();
    await page.getByText("You can add it all the same").waitFor();
    await page.fill("#name", "Listed <b>Server</b>");
    await page.fill("#tags", "survival, quiet");
    await page.selectOption("#visibility", "UNLISTED");
    await assertLooks(page, "add-server-details");
    // An error and another ping keep what was entered.
    await page.fill("#website", "example.org");
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByText("Website must begin with https:// or http://").waitFor();
    await page.fill("#website", "https://example.org");
    await page.getByRole("button", { name: "Ping again" }).click();
    await page.getByRole("heading", { name: "What came back" }).waitFor();
    assert.equal(await page.inputValue("#tags"), "survival, quiet");
    assert.equal(await page.inputValue("#website"), "https://example.org");
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByText("Server submitted. Prove that it is yours to manage it.").waitFor();
    await page.getByRole("button", { name: "Get a code" }).click();
    const code = await page.locator("#code + rc-copy code").textContent();
    assert.match(await page.locator("main time").first().textContent(), /UTC$/, "a local time names its zone");
    assert.match(code, /^rollcall-[2-9A-HJ-NP-Z]{10}$/);
    assert.ok((await page.textContent("main")).includes(`_rollcall.${host}. TXT "${code}"`));
    await assertLooks(page, "claim");
    await page.getByRole("button", { name: "Check now" }).click();
    await page.getByText("The code was not found yet. Below is what we see now.").waitFor();
    await assertLooks(page, "claim-not-found");
    await page.getByRole("button", { name: "Create token" }).click();
    await page.getByText("The token is shown only once.").waitFor();
    await page.getByText("Waiting for the first report. This page follows live.").waitFor();
    const token = (await page.locator("#new-token ~ rc-copy code").last().textContent()).match(/Bearer (\w+)/)[1];
    const report = { method: "POST", headers: { authorization: `Bearer ${token}` }, body: "{}" };
    assert.equal((await fetch(`${base}/report/v1`, report)).status, 403);
    await page.getByText("The server has not replied to a ping yet").waitFor();
    await assertLooks(page, "claim-refused");
    await page.goto(`${base}/dashboard/servers`);
    await assertLooks(page, "servers");
    await page.getByRole("link", { name: "Listed <b>Server</b>" }).click();
    await page.getByText("It is listed as soon as it replies to a ping.").waitFor();
    await page.fill("#description", "Quiet and friendly");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("Settings saved.").waitFor();
    assert.equal(await page.inputValue("#visibility"), "UNLISTED");
    await assertLooks(page, "server-settings");
    await page.getByText("Delete this server", { exact: true }).click();
    await page.getByLabel("Yes, delete this server").check();
    await page.getByRole("button", { name: "Delete server" }).click();
    await page.getByText("Server deleted. You can restore it within 30 days.").waitFor();
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByText("Server restored.").waitFor();

    // It is not shown, as it has never replied. Someone else who enters its address can claim it, and does not read its name.
    const { page: other } = await signedUp(browser);
    await other.goto(`${base}/dashboard/add-server`);
    await other.fill("#address", host);
    await other.getByRole("button", { name: "Ping" }).click();
    await other.getByText("This server was added already, and it is not shown.").waitFor();
    await assertLooks(other, "add-server-not-shown");
    await other.getByRole("link", { name: "Claim it" }).click();
    await other.getByRole("heading", { name: "Is this your server?" }).waitFor();
    assert.equal(await other.getByText("Listed <b>Server</b>").count(), 0);
    await assertLooks(other, "claim-not-shown");
  }));

test("the pages of a new server work without scripts", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser, { javaScriptEnabled: false });
    await page.goto(`${base}/dashboard/add-server`);
    await page.fill("#address", `plain-${process.pid}.example.org`);
    await page.getByRole("button", { name: "Ping" }).click();
    await page.getByRole("button", { name: "Add server" }).click();
    await page.getByRole("button", { name: "Get a code" }).click();
    await page.getByRole("heading", { name: "Your code" }).waitFor();
  }));
