// The page on which users link their account with a player.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { signedUp } from "./account.mjs";
import { assertLooks, base, until, withBrowser } from "./setup.mjs";

/** A server that is online with listed players, and a token of it. */
async function reporter(page) {
  await page.goto(`${base}/servers?sort=players`);
  const slug = await page.evaluate("[...document.querySelectorAll('a[href^=\"/servers/\"]')].map((a) => a.getAttribute('href').split('/')[2]).find((s) => s && !s.includes('?'))");
  const data = process.env.TEST_DATA;
  const token = execFileSync(process.env.ROLLCALL_PROGRAM, ["server", "token", slug, "--data", data], { encoding: "utf8", env: { PATH: process.env.PATH } }).trim();
  return { slug, token };
}

/** Sends a report until the server accepts one: its own reporter may have been faster. */
async function report(token, body) {
  return until("the server accepts a report", async () => {
    const response = await fetch(`${base}/report/v1`, { method: "POST", headers: { authorization: `Bearer ${token}` }, body: JSON.stringify(body) });
    return response.status !== 429 && response.json();
  });
}

test("a user links a player with a command, chooses a skin and hides the country", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser);
    const { slug, token } = await reporter(page);
    await page.goto(`${base}/dashboard/player`);
    await assertLooks(page, "player-unlinked");
    await page.getByRole("button", { name: "Create a code" }).click();
    const command = await page.locator("#secret").textContent();
    assert.match(command, /^\/link [A-HJ-NP-Z2-9]{8}$/);
    const uuid = `0b5c1d2e-0000-4000-8000-${String(process.pid).padStart(12, "0")}`;
    const player = { name: "LinkedTester", uuid };
    const answer = await report(token, { players: [player], links: [{ code: command.split(" ")[1], ...player }] });
    assert.ok(answer.data.notes.includes("link 1: the player is linked"), JSON.stringify(answer));
    await page.reload();
    await page.goto(`${base}/dashboard/player`);
    await page.getByRole("link", { name: "LinkedTester" }).waitFor();
    assert.match(await page.locator(".pill.warn").first().textContent(), /^Vouched by /);
    await assertLooks(page, "player-linked");
    await page.fill("#skin", `${base}/skins/default-slim`);
    await page.getByRole("button", { name: "Save" }).first().click();
    await page.getByText("Saved. The player's page changes within a few seconds.").waitFor();
    assert.equal(await page.inputValue("#skin"), "default-slim");
    await page.getByLabel("Hide the country of the player").check();
    await page.getByRole("button", { name: "Save" }).nth(1).click();
    await page.getByText("Saved. The player's page changes within a few seconds.").waitFor();
    assert.ok(await page.getByLabel("Hide the country of the player").isChecked());
    await page.getByRole("link", { name: "LinkedTester" }).click();
    await page.getByText("Linked account, vouched by").waitFor();
    await assertLooks(page, "player-public");
    assert.ok(await page.locator(`.player-head a[href="/servers/${slug}"]`).isVisible());
    await page.goto(`${base}/dashboard/player`);
    await page.getByText("Unlink", { exact: true }).click();
    await page.getByRole("button", { name: "Unlink the player" }).click();
    await page.getByText("Your account is no longer linked with the player.").waitFor();
  }));
