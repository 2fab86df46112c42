// Posts of owners, the moderation queue with its keyboard shortcuts, and what authors see of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fill, signIn, signedUp } from "./account.mjs";
import { assertLooks, base, open, until, withBrowser } from "./setup.mjs";

async function signedInOperator(browser, options) {
  const page = await open(browser, "/sign-in", undefined, options);
  await signIn(page, "operator", process.env.ROLLCALL_OPERATOR_PASSWORD);
  await page.getByRole("heading", { name: "API keys" }).waitFor();
  return page;
}

/** Makes a user the owner of the server at this place of the operator's list; returns its slug. */
async function makeOwner(operator, username, place) {
  await operator.goto(`${base}/operator/servers`);
  const path = await operator.locator("main a[href^='/operator/servers/']").nth(place).getAttribute("href");
  const { pathname } = new URL(path, base);
  await operator.goto(base + pathname);
  await operator.fill("#owner", username);
  await operator.getByRole("button", { name: "Save" }).first().click();
  await operator.getByText("Settings saved.").waitFor();
  return pathname.split("/").pop();
}

async function writePost(page, slug, title, content, button = "Publish now") {
  await page.goto(`${base}/dashboard/servers/${slug}/posts`);
  await fill(page, { title, content });
  await page.getByRole("button", { name: button }).click();
}

const HELD = "## What is new\n\n- **A map** with [pictures](https://unknown.example/map)\n- `/spawn` works again\n\n> Thank you all!";

test("pages of authors and moderators are accessible and fit", () =>
  withBrowser(async (browser) => {
    const { page: owner, username } = await signedUp(browser);
    const operator = await signedInOperator(browser);
    const slug = await makeOwner(operator, username, 0);
    await writePost(owner, slug, "A draft", "Not yet.", "Save draft");
    await writePost(owner, slug, "Season 2", HELD, "Preview");
    await owner.getByRole("heading", { name: "What is new" }).waitFor();
    await assertLooks(owner, "posts with preview");
    await owner.getByRole("button", { name: "Publish now" }).click();
    await owner.getByText("A moderator looks at the post").waitFor();
    await assertLooks(owner, "posts");
    await owner.goto(`${base}/dashboard/servers/${slug}/reviews`);
    for (const summary of await owner.locator(".review summary").all()) {
      await summary.click();
    }
    await assertLooks(owner, "reviews of the owner");

    await operator.goto(`${base}/moderation`);
    await operator.getByText("The text links to unknown.example.").first().waitFor();
    await assertLooks(operator, "queue");
    await operator.getByRole("button", { name: "Take the next item" }).click();
    await operator.getByRole("heading", { name: "Under review" }).waitFor();
    await assertLooks(operator, "item");
    await operator.fill("#reason", "Please show the map on your own page.");
    await operator.getByRole("button", { name: "Reject" }).click();
    await operator.getByText("Rejected. The author can read your reason.").waitFor();

    await owner.goto(`${base}/dashboard/contributions`);
    await owner.getByText("Please show the map on your own page.").waitFor();
    await owner.locator("summary", { hasText: "Appeal" }).click();
    await assertLooks(owner, "contributions");
    await owner.locator("textarea[name=appeal]").fill("The map is far too large for a post.");
    await owner.getByRole("button", { name: "Send appeal" }).click();
    await owner.getByText("Appeal sent.").waitFor();
    await owner.goto(`${base}/servers/${slug}/review`);
    await owner.getByText("You manage this server").waitFor();
    await assertLooks(owner, "review");
    await owner.goto(`${base}/dashboard/account`);
    await assertLooks(owner, "account");

    await operator.goto(`${base}/moderation`);
    await operator.locator("[data-item]").first().click();
    await operator.getByText("The map is far too large for a post.").waitFor();
    await assertLooks(operator, "appeal");
    await operator.getByRole("button", { name: "Approve" }).click();
    await operator.getByText("Approved. It is shown from now on.").waitFor();
    // The page of the server is cached for a few seconds.
    const visitor = await open(browser, `/servers/${slug}`);
    const heading = visitor.getByRole("heading", { name: "What is new" });
    await until("the approved post is shown", async () => (await heading.isVisible()) || void (await visitor.reload()));
    const link = visitor.getByRole("link", { name: "pictures" });
    assert.equal(await link.getAttribute("rel"), "nofollow noopener ugc");
    await visitor.locator("#updates").scrollIntoViewIfNeeded();
    await assertLooks(visitor, "server with a post");
  }));

test("moderators judge with the keyboard, and can turn the shortcuts off", () =>
  withBrowser(async (browser) => {
    const { page: owner, username } = await signedUp(browser);
    const operator = await signedInOperator(browser);
    const slug = await makeOwner(operator, username, 1);
    for (const title of ["One", "Two", "Three"]) {
      await writePost(owner, slug, title, `${title}: https://unknown.example/${title}`);
      await owner.getByText("A moderator looks at the post").waitFor();
    }
    await operator.goto(`${base}/moderation?kind=post`);
    await operator.keyboard.press("j");
    await operator.keyboard.press("j");
    const focused = "[...document.querySelectorAll('[data-item]')].indexOf(document.activeElement)";
    assert.equal(await operator.evaluate(focused), 1);
    await operator.keyboard.press("k");
    assert.equal(await operator.evaluate(focused), 0);
    await operator.keyboard.press("Enter");
    await operator.getByRole("heading", { name: "Under review" }).waitFor();
    await operator.keyboard.press("a");
    await operator.getByText("Approved. It is shown from now on.").waitFor();
    // The next item is open. A reason is needed to reject: the first press leads to its field, where letters are letters.
    await operator.keyboard.press("r");
    assert.equal(await operator.evaluate("document.activeElement.name"), "reason");
    await operator.keyboard.type("a harsh rule");
    await operator.locator("h1").click();
    await operator.keyboard.press("r");
    await operator.getByText("Rejected. The author can read your reason.").waitFor();
    // Turned off, keys do nothing.
    await operator.locator(".shortcuts input").uncheck();
    await operator.locator("h1").click();
    await operator.keyboard.press("a");
    await operator.reload();
    await operator.keyboard.press("a");
    await operator.getByRole("button", { name: "Approve" }).waitFor();
    assert.equal(await operator.locator(".shortcuts input").isChecked(), false);
    await operator.getByRole("button", { name: "Approve" }).click();
    await operator.getByText("Approved. It is shown from now on.").waitFor();
  }));

test("judging works without scripts", () =>
  withBrowser(async (browser) => {
    const { page: owner, username } = await signedUp(browser, { javaScriptEnabled: false });
    const operator = await signedInOperator(browser, { javaScriptEnabled: false });
    const slug = await makeOwner(operator, username, 2);
    await writePost(owner, slug, "Plain", "See https://unknown.example/plain");
    await owner.getByText("A moderator looks at the post").waitFor();
    await operator.goto(`${base}/moderation?kind=post`);
    assert.equal(await operator.getByText("Keyboard shortcuts").isVisible(), false);
    await operator.locator("[data-item]").last().click();
    await operator.getByRole("button", { name: "Hide" }).click();
    await operator.getByText("Enter a reason. The author reads it.").waitFor();
    await operator.fill("#reason", "Not here.");
    await operator.getByRole("button", { name: "Hide" }).click();
    await operator.getByText("Hidden. The author can read your reason.").waitFor();
    await owner.goto(`${base}/dashboard/contributions`);
    await owner.getByText("Not here.").waitFor();
  }));
