// The upload form with scripts: files by drag and drop and from the clipboard, and the preview with and without WebGL.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { signedUp } from "./account.mjs";
import { file, png } from "./pictures.mjs";
import { assertAccessible, assertFits, base, withBrowser, withWebGl } from "./setup.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };

/** The pixels of the drawn picture. */
const drawn = (page) => page.locator("rc-upload canvas[role=img]").last().evaluate((canvas) => canvas.toDataURL());

/** For a person who wants to look at it. */
async function look(page, name) {
  await assertFits(page, name);
  await assertAccessible(page, name);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
}

/** Drops a file of this machine as the system does. */
async function drop(page, path, target) {
  const { x, y, width, height } = await page.locator(target).boundingBox();
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await session.send("Input.dispatchDragEvent", { type, x: x + width / 2, y: y + Math.min(height / 2, 50), data });
    if (type === "dragOver") {
      assert.ok(await page.locator("rc-upload.over").count(), "the place to drop is shown");
    }
  }
}

for (const [width, options] of [[1280, {}], [390, PHONE]]) {
  test(`a dropped file is previewed and uploaded at ${width} px`, () =>
    withBrowser(async (browser) => {
      const folder = await mkdtemp(join(tmpdir(), "rollcall-drop-"));
      try {
        await writeFile(join(folder, "dropped.png"), png(64, 64));
        await writeFile(join(folder, "page.png"), "<h1>not a picture</h1>");
        const { page } = await signedUp(browser, options);
        await page.goto(`${base}/dashboard/skins/new`);
        await drop(page, join(folder, "page.png"), ".upload-preview");
        await page.getByText("This file cannot be shown.").waitFor();
        // Beside the form: the browser must not leave the page.
        await drop(page, join(folder, "dropped.png"), "h1");
        await page.getByText("dropped.png: 64 × 64").waitFor();
        assert.equal(await page.locator("rc-upload.over").count(), 0);
        await look(page, `upload-dropped-${width}`);
        await page.fill("#name", "Dropped");
        await page.getByRole("button", { name: "Upload" }).click();
        await page.getByText("Waiting for a moderator").waitFor();
      } finally {
        await rm(folder, { recursive: true });
      }
    }));
}

test("a picture is pasted, a text into a field stays a text", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto(`${base}/dashboard/skins/new`);
    await page.getByText("Drop a PNG here").waitFor();
    const copy = (type, base64) =>
      page.evaluate(
        async ([type, base64]) => {
          const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
          await navigator.clipboard.write([new ClipboardItem({ [type]: new Blob([bytes], { type }) })]);
        },
        [type, base64],
      );
    await copy("text/plain", Buffer.from("Pasted fox").toString("base64"));
    await page.focus("#name");
    await page.keyboard.press("Control+V");
    assert.equal(await page.inputValue("#name"), "Pasted fox");
    assert.equal(await page.evaluate(() => document.querySelector("#file").files.length), 0);
    await copy("image/png", png(64, 64).toString("base64"));
    await page.keyboard.press("Control+V");
    await page.getByText("image.png: 64 × 64").waitFor();
    assert.equal(await page.inputValue("#name"), "Pasted fox");
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByText("Waiting for a moderator").waitFor();
  }));

/** The elytra of a cape are shown and hidden again; `picture` returns what the reader sees. */
async function flyAndLand(page, picture) {
  const button = page.getByRole("button", { name: "Elytra" });
  const cape = await picture();
  await button.press("Enter");
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  const elytra = await picture();
  assert.ok(elytra !== cape, "the elytra are shown");
  await button.press("Enter");
  assert.equal(await button.getAttribute("aria-pressed"), "false");
  assert.ok((await picture()) === cape, "the cape is shown again");
}

for (const [width, options] of [[1280, {}], [390, PHONE]]) {
  test(`where there is no WebGL the preview is drawn, at ${width} px`, () =>
    withWebGl(false, async (browser) => {
      const { page: first } = await signedUp(browser, options);
      assert.equal(await first.evaluate(() => document.createElement("canvas").getContext("webgl2")), null);
      // The library logs the missing WebGL as an error, which is right here.
      const page = await first.context().newPage();
      await page.goto(`${base}/dashboard/skins/new`);
      await page.setInputFiles("#file", file(64, 64));
      await page.getByText("my.png: 64 × 64").waitFor();
      const skin = await drawn(page);
      await page.getByRole("button", { name: "View in 3D" }).press("Enter");
      await page.getByText("3D is not available in this browser.").waitFor();
      assert.equal(await page.locator("rc-upload canvas").count(), 1);
      assert.equal(await drawn(page), skin, "the picture stays");
      assert.ok(await page.getByRole("button", { name: "View in 3D" }).isHidden());
      assert.ok(await page.getByRole("button", { name: "Walk" }).isHidden(), "a picture does not walk");
      assert.ok(await page.getByRole("button", { name: "Elytra" }).isHidden());
      await page.selectOption("#model", "slim");
      assert.notEqual(await drawn(page), skin, "slim arms are narrower");
      await page.getByRole("button", { name: "Outer layer" }).press("Enter");
      await look(page, `upload-no-webgl-skin-${width}`);

      await page.setInputFiles("#file", file(64, 32));
      await page.getByLabel("Cape", { exact: true }).check();
      await page.getByText("my.png: 64 × 32").waitFor();
      assert.ok(await page.getByRole("button", { name: "Outer layer" }).isHidden());
      await flyAndLand(page, () => drawn(page));
      await page.getByRole("button", { name: "Elytra" }).press("Enter");
      await look(page, `upload-no-webgl-elytra-${width}`);
      // The small size has no wings: the cape is shown, whatever was chosen before.
      await page.setInputFiles("#file", file(22, 17));
      await page.getByText("my.png: 22 × 17").waitFor();
      assert.ok(await page.getByRole("button", { name: "Elytra" }).isHidden());
      assert.equal(await page.locator("rc-upload canvas").evaluate((canvas) => canvas.height), 128);
    }));

  test(`elytra are shown on the 3D model and taken off, at ${width} px`, () =>
    withWebGl(true, async (browser) => {
      const { page } = await signedUp(browser, options);
      await page.goto(`${base}/dashboard/skins/new?kind=cape`);
      await page.setInputFiles("#file", file(64, 32));
      await page.getByText("my.png: 64 × 32").waitFor();
      await page.getByRole("button", { name: "View in 3D" }).press("Enter");
      const canvas = page.locator("rc-upload canvas[tabindex]");
      await canvas.waitFor();
      assert.ok(await page.getByRole("button", { name: "Walk" }).isVisible());
      // The model is dressed a moment after a choice: wait until two pictures are the same.
      const picture = async () => {
        let last = "";
        for (let tries = 0; tries < 50; tries += 1) {
          await canvas.scrollIntoViewIfNeeded();
          // Without the edges, which may be on half a pixel of the screen.
          const { x, y, width, height } = await canvas.boundingBox();
          const clip = { x: Math.ceil(x) + 1, y: Math.ceil(y) + 1, width: Math.floor(width) - 4, height: Math.floor(height) - 4 };
          const next = (await page.screenshot({ clip })).toString("base64");
          if (next === last) return next;
          last = next;
        }
        throw new Error("the model never stands still");
      };
      await flyAndLand(page, picture);
      await look(page, `upload-3d-cape-${width}`);
      await page.getByRole("button", { name: "Elytra" }).press("Enter");
      await picture();
      if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/upload-3d-elytra-${width}.png`, fullPage: true });
      await page.getByRole("button", { name: "Picture" }).press("Enter");
      assert.ok(await page.locator("rc-upload canvas[role=img]").last().isVisible());
      assert.ok(await page.getByRole("button", { name: "Walk" }).isHidden());
    }));
}

test("a skin of this site is copied by its address, without scripts", () =>
  withBrowser(async (browser) => {
    const { page } = await signedUp(browser, { javaScriptEnabled: false, ...PHONE });
    await page.goto(`${base}/dashboard/skins/new`);
    await page.fill("#name", "Copy");
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByText("Choose a file, or enter what to copy.").waitFor();
    await page.getByLabel("Or copy from an address of this site").fill("https://other.example/skins/default-slim");
    await page.getByRole("button", { name: "Upload" }).click();
    await page.getByText("is not the address of a skin or cape of this site").waitFor();
    await assertFits(page, "an address of another site");
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/upload-address-390.png`, fullPage: true });
    await page.getByLabel("Or copy from an address of this site").fill(`${base}/skins/default-slim`);
    await page.getByRole("button", { name: "Upload" }).click();
    await page.waitForURL(`${base}/skins/default-slim`);
  }));
