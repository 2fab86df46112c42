// A user uploads a skin and a cape, with and without scripts; a moderator approves it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { signedUp, signIn } from "./account.mjs";
import { file } from "./pictures.mjs";
import { assertLooks, base, open, withBrowser } from "./setup.mjs";

test("a skin is previewed, uploaded by keyboard, approved and shown", () =>
  withBrowser(async (browser) => {
    const { page, username } = await signedUp(browser);
    await page.goto(`${base}/skins`);
    await page.getByRole("link", { name: "Upload" }).click();
    await page.getByText("Drop a PNG here").waitFor();
    await assertLooks(page, "upload");
    await page.setInputFiles("#file", file(64, 64));
    await page.getByText("my.png: 64 × 64").waitFor();
    const drawn = () => page.locator("rc-upload canvas").first().evaluate((canvas) => canvas.toDataURL());
    const whole = await drawn();
    await page.getByRole("button", { name: "Outer layer" }).focus();
    await page.keyboard.press("Space");
    assert.notEqual(await drawn(), whole, "the outer layer is hidden");
    await page.selectOption("#model", "slim");
    await page.getByRole("button", { name: "View in 3D" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("rc-upload canvas[tabindex], rc-upload output:has-text('3D is not available')").first().waitFor();
    await assertLooks(page, "upload-preview");
    const tag = page.locator("rc-upload button[data-tag]").first();
    const name = await tag.textContent();
    await tag.focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.inputValue("#tags"), name);
    const title = `Browser fox ${process.pid}`;
    await page.focus("#name");
    await page.keyboard.type(title);
    await page.keyboard.press("Enter");
    await page.getByText("A moderator looks at it before others see it.").waitFor();
    await page.getByText("Waiting for a moderator").waitFor();
    await assertLooks(page, "upload-waiting");
    await page.goto(`${base}/dashboard/skins`);
    await page.getByRole("link", { name: title }).waitFor();
    await assertLooks(page, "uploads");

    const judge = await open(browser, "/sign-in");
    await signIn(judge, "operator", process.env.ROLLCALL_OPERATOR_PASSWORD);
    await judge.getByRole("heading", { name: "API keys" }).waitFor();
    await judge.goto(`${base}/moderation?kind=upload`);
    // Other tests upload meanwhile.
    const item = judge.getByRole("listitem").filter({ has: judge.getByText(username, { exact: true }) });
    await item.getByRole("link", { name: "Skin or cape" }).click();
    await judge.getByRole("heading", { name: title }).waitFor();
    const widths = await judge
      .locator("main img")
      .evaluateAll((images) => Promise.all(images.map((image) => image.decode().then(() => image.naturalWidth))));
    assert.deepEqual(widths, [192, 64], "the figure and the texture are shown");
    await assertLooks(judge, "upload-judged");
    await judge.getByRole("button", { name: "Approve" }).click();
    await judge.getByText("Approved. It is shown from now on.").waitFor();

    await page.getByRole("link", { name: title }).click();
    await page.getByRole("link", { name: "Public page" }).click();
    await page.getByRole("heading", { name: title }).waitFor();
  }));

test("a cape is uploaded without scripts at 390 px, edited and deleted", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser, { javaScriptEnabled: false, viewport: { width: 390, height: 800 } });
    await page.goto(`${base}/dashboard/skins/new?kind=cape`);
    await page.setInputFiles("#file", { name: "x.png", mimeType: "image/png", buffer: Buffer.from("<svg></svg>") });
    await page.fill("#name", "Plain cape");
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByText("The file is SVG, not PNG.").waitFor();
    assert.equal(await page.inputValue("#name"), "Plain cape");
    await page.setInputFiles("#file", file(22, 17));
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByText("Waiting for a moderator").waitFor();
    await page.fill("#tags", "plain");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await page.getByText("Delete it", { exact: true }).click();
    await page.getByLabel("Yes, delete it").check();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("You have not uploaded a skin or cape yet.").waitFor();
  }));
