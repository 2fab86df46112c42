// A visitor votes behind the human check; the owner of the server sees the vote and its delivery.
import assert from "node:assert/strict";
import { test } from "node:test";
import { signedUp, signIn } from "./account.mjs";
import { assertLooks, base, open, until, withBrowser } from "./setup.mjs";

const DAY = 24 * 3600 * 1000;
/** Other tests own the first servers of the operator's list. */
const FIRST_PLACE = 5;

/** Makes a user the owner of a server whose receiver takes votes; returns its slug. Some servers of the demo have none. */
async function makeOwner(browser, owner, username) {
  const operator = await open(browser, "/sign-in");
  await signIn(operator, "operator", process.env.ROLLCALL_OPERATOR_PASSWORD);
  await operator.getByRole("heading", { name: "API keys" }).waitFor();
  await operator.goto(`${base}/operator/servers`);
  const links = operator.locator("main a[href^='/operator/servers/']");
  const paths = await links.evaluateAll((found) => found.map((link) => link.pathname));
  for (const path of paths.slice(FIRST_PLACE)) {
    await operator.goto(base + path);
    await operator.fill("#owner", username);
    await operator.getByRole("button", { name: "Save" }).first().click();
    await operator.getByText("Settings saved.").waitFor();
    const slug = path.split("/").pop();
    await owner.goto(`${base}/dashboard/servers/${slug}/votes`);
    const button = owner.getByRole("button", { name: "Send a test vote" });
    if ((await button.count()) === 0) continue;
    await button.click();
    await owner.locator(".notice[role=status]").waitFor();
    if (await owner.locator(".notice.good[role=status]").count()) return slug;
  }
  throw new Error("no server of the demo has a receiver that takes votes");
}

/** The number of votes that the page of the vote shows. */
async function shownVotes(page) {
  const text = await page.locator(".vote-head p").textContent();
  return Number(text.split(/votes?/)[0].replace(/\D/g, ""));
}

/** Fills in the form and sends it, with a proof of work; returns the response. */
async function vote(page, nickname) {
  await page.fill("#nickname", nickname);
  const isVote = (request) => request.method() === "POST" && new URL(request.url()).pathname.endsWith("/vote");
  const [response] = await Promise.all([
    page.waitForResponse((response) => isVote(response.request())),
    page.getByRole("button", { name: "Vote", exact: true }).click(),
  ]);
  assert.match(response.request().postData(), /(^|&)human=[^&]{20,}/, "the human check is solved");
  return response;
}

test("a vote passes the human check, counts once a day and reaches the server, as its owner sees", () =>
  withBrowser(async (browser) => {
    const { page: owner, username } = await signedUp(browser);
    const slug = await makeOwner(browser, owner, username);
    const nickname = `Fox_${process.pid}`;

    const visitor = await open(browser, `/servers/${slug}/vote`);
    const before = await shownVotes(visitor);
    await assertLooks(visitor, "vote");
    await vote(visitor, nickname);
    await visitor.getByText("Thank you, your vote counts.").waitFor();
    // Players of the demo vote, too.
    assert.ok((await shownVotes(visitor)) > before, "the vote is counted");
    await assertLooks(visitor, "vote-done");
    await visitor.goto(`${base}/servers/${slug}/vote`);
    await visitor.getByText("You have voted for this server today.").waitFor();
    assert.equal(await visitor.locator("#nickname").count(), 0, "nothing to fill in");
    const next = Date.parse(await visitor.locator("main time").first().getAttribute("datetime"));
    assert.equal(next % DAY, 0, "the next UTC day");
    assert.ok(next > Date.now() && next <= Date.now() + DAY);

    // Someone else of the same network, in a browser that has not voted.
    const other = await open(browser, `/servers/${slug}/vote`);
    const refused = await vote(other, `Owl_${process.pid}`);
    assert.equal(refused.status(), 409);
    assert.ok(Math.abs(Date.now() + Number(refused.headers()["retry-after"]) * 1000 - next) < 120_000);
    await other.getByText("Someone has already voted for this server from your network today.").waitFor();
    await assertLooks(other, "vote-refused");

    const row = owner.locator("tbody tr", { has: owner.getByText(nickname, { exact: true }) }).first();
    await until("the delivered vote", async () => {
      await owner.goto(`${base}/dashboard/servers/${slug}/votes`);
      return row.getByText("Delivered").count();
    });
    await owner.getByRole("heading", { name: "Votes per month" }).waitFor();
    await assertLooks(owner, "votes of a server");
    const csv = await owner.evaluate(async (path) => (await fetch(path)).text(), `/dashboard/servers/${slug}/votes.csv`);
    assert.ok(csv.split("\n").some((line) => line.includes(nickname) && /delivered/i.test(line)), csv.slice(0, 500));
  }));
