// Texts from outside on every page: markup, letters and controls of the other direction, and piles of combining marks.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { blank, withBrowser } from "./setup.mjs";
import { PASSWORD, fill } from "./account.mjs";

const MARKUP = `"'><img src=x onerror=hacked=1><script>hacked=1</script></title></textarea><svg/onload=hacked=1>`;
const HEBREW = "שלום 12";
const marks = (count) => `Z${"\u0301\u0323".repeat(count / 2)}`;
/** As long as names may be. They cannot contain direction controls: the import refuses them. */
const name = (length) => `EVIL ${HEBREW} ${MARKUP} `.slice(0, length).padEnd(length, marks(300).slice(0, 80));
/** A text with a direction override that does not end and 10,000 marks on a letter. */
const TEXT = `EVIL \u202e${MARKUP} ${HEBREW} ${marks(10_000)} \u2067end`;

const UUID = "61699b2ed3274a019f1e0ea8c3f06bc6";
const [AT, LATER] = [new Date(Date.now() - 3 * 3_600_000).toISOString(), new Date(Date.now() - 3_600_000).toISOString()];
const FILES = {
  accounts: [{ id: "acc", username: "ada" }],
  servers: [
    {
      id: "srv", slug: "evil", name: name(300), shortDescription: name(500), ip: "evil.example", motdRaw: TEXT, isOnline: true, currentPlayers: 3, maxPlayers: 9,
      version: name(60), country: name(100), gameMode: name(100), ownerId: "acc", isTracked: false, lastPing: LATER, tags: [name(100), `EVIL ${marks(60)}`],
    },
    { id: "srv-2", slug: "evil-2", name: `EVIL ${marks(200)}`, ip: "two.example", isTracked: false, tags: [name(100)], country: name(100) },
  ],
  samples: [{ serverId: "srv", timestamp: LATER, isOnline: true, onlinePlayers: 3, latency: 24 }],
  skins: [{ id: "skin", slug: "evil", name: name(100), description: name(500), model: "slim", ownerId: "acc", tags: [name(100)] }],
  capes: [{ id: "cape", slug: "evil", name: `EVIL ${marks(90)}`, description: name(500), ownerId: "acc", tags: [name(100)] }],
  players: [
    {
      id: "ply", gameUuid: UUID, mainNickname: name(100), nicknameHistory: [`EVIL ${marks(90)}`, `EVIL ${HEBREW}`], country: name(100), linkedSkinId: "skin",
      capeId: "cape", tierOverall: "LT3", lastSeenAt: LATER,
    },
  ],
  votes: [
    { id: "vote-1", serverId: "srv", playerId: "ply", gameUsername: name(100), votedAt: AT },
    { id: "vote-2", serverId: "srv", gameUsername: `EVIL ${marks(90)}`, votedAt: LATER },
  ],
  reviews: [
    { id: "rev-1", serverId: "srv", playerId: "ply", gameUsername: name(100), rating: 5, content: TEXT, createdAt: AT },
    { id: "rev-2", serverId: "srv", gameUsername: `EVIL ${HEBREW}`, rating: 1, content: TEXT, createdAt: AT },
  ],
  update_posts: [{ id: "post", serverId: "srv", accountId: "acc", title: name(500), content: TEXT, createdAt: AT }],
  sessions: [{ id: "ses", playerId: "ply", serverId: "srv", joinedAt: AT, leftAt: LATER }],
};
const PUBLIC = [
  "/", "/servers", "/servers?search=EVIL", "/servers/evil", "/servers/evil?period=24h", "/players", `/players/${UUID}`, "/leaderboards", "/skins", "/skins/evil", "/capes", "/capes/evil",
  `/search?q=${encodeURIComponent(name(60))}`, "/search?q=EVIL", "/status", "/embed/evil", `/servers?search=${encodeURIComponent(TEXT.slice(0, 90))}`,
];

/** A server over these texts, with an operator. */
async function withHostileServer(work) {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-hostile-"));
  const variables = Object.entries(process.env).filter(([name]) => !name.startsWith("ROLLCALL_"));
  const env = Object.fromEntries(variables);
  const run = (args, input) => execFileSync(process.env.ROLLCALL_PROGRAM, [...args, "--data", join(folder, "data")], { env, input, stdio: "pipe" });
  const files = Object.entries(FILES).map(([kind, lines]) => {
    const file = join(folder, `${kind}.ndjson`);
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return file;
  });
  let program;
  try {
    run(["import", ...files]);
    run(["account", "create", "root", "--admin", "--password-stdin", "--permanent"], `${PASSWORD}\n`);
    program = spawn(process.env.ROLLCALL_PROGRAM, ["serve", "--data", join(folder, "data"), "--listen", "127.0.0.1:0"], { env, stdio: ["ignore", "pipe", "ignore"] });
    for await (const line of createInterface({ input: program.stdout })) {
      await work(line.replace("Listening on ", ""));
      break;
    }
  } finally {
    if (program) {
      const ended = new Promise((resolve) => program.once("exit", resolve));
      program.kill();
      await ended;
    }
    rmSync(folder, { recursive: true });
  }
}

/** Texts that share their line with other text, which their direction could reorder. */
async function mixedTexts(page) {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const mixed = [];
    while (walker.nextNode()) {
      const node = walker.currentNode;
      let box = node.parentElement;
      if (!node.data.includes("EVIL") || box.closest("script, option, textarea, pre, .hidden") || !box.checkVisibility()) {
        continue;
      }
      while (getComputedStyle(box).display === "inline" && getComputedStyle(box).unicodeBidi === "normal") {
        box = box.parentElement;
      }
      // Blocks, and the items of a flexible box, are lines of their own.
      const isLine = (element) => getComputedStyle(element).display !== "inline" || getComputedStyle(element).unicodeBidi !== "normal";
      const others = [...box.childNodes].filter((child) => !child.contains(node) && child.textContent.trim() && !(child.nodeType === 1 && isLine(child)));
      if (others.length) {
        mixed.push(box.outerHTML.replaceAll(/[\u0301\u0323]/g, "").slice(0, 300));
      }
    }
    return mixed;
  });
}

/** Hides the texts and returns where else than in and around their boxes the picture changes. */
async function paintedOutside(page, judge) {
  // Pictures below the window are loaded when the screenshot needs them.
  await page.evaluate(() =>
    Promise.all(
      [...document.images].map((image) => {
        image.loading = "eager";
        return image.decode().catch(() => undefined);
      }),
    ),
  );
  const before = await page.screenshot({ fullPage: true });
  const boxes = await page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const parents = [];
    while (walker.nextNode()) {
      walker.currentNode.data.includes("EVIL") && parents.push(walker.currentNode.parentElement);
    }
    const boxes = parents.map((parent) => {
      let block = parent;
      while (getComputedStyle(block).display.startsWith("inline")) {
        block = block.parentElement;
      }
      const { left, top, right, bottom } = block.getBoundingClientRect();
      return { left: left + scrollX, top: top + scrollY, right: right + scrollX, bottom: bottom + scrollY };
    });
    parents.forEach((parent) => (parent.style.visibility = "hidden"));
    return boxes;
  });
  const after = await page.screenshot({ fullPage: true });
  return judge.evaluate(
    async ([before, after, boxes]) => {
      const pixels = async (png) => {
        const image = new Image();
        image.src = `data:image/png;base64,${png}`;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      };
      const [a, b] = [await pixels(before), await pixels(after)];
      const [AROUND, outside] = [24, []];
      for (let i = 0; i < Math.min(a.data.length, b.data.length) && outside.length < 5; i += 4) {
        // Edges of shapes are not drawn alike each time.
        if (Math.abs(a.data[i] - b.data[i]) > 64 || Math.abs(a.data[i + 1] - b.data[i + 1]) > 64) {
          const [x, y] = [(i / 4) % a.width, Math.floor(i / 4 / a.width)];
          const isInside = (box) => x >= box.left - AROUND && x <= box.right + AROUND && y >= box.top - AROUND && y <= box.bottom + AROUND;
          boxes.some(isInside) || outside.push(`${x},${y}`);
        }
      }
      return outside;
    },
    [before.toString("base64"), after.toString("base64"), boxes],
  );
}

/** What is wrong with a page. */
async function harm(page, judge, what) {
  const { hacked, elements, width } = await page.evaluate(() => ({
    hacked: typeof hacked !== "undefined",
    elements: document.querySelectorAll("img[src=x], svg[onload]").length,
    width: document.documentElement.scrollWidth - innerWidth,
  }));
  return [
    ...(hacked || elements ? [`${what}: a text became markup`] : []),
    ...(width > 0 ? [`${what}: ${width} px too wide`] : []),
    ...(await mixedTexts(page)).map((html) => `${what}: shares its line: ${html}`),
    ...(await paintedOutside(page, judge)).map((point) => `${what}: painted outside its box at ${point}`),
  ];
}

test("a text that could reorder its neighbours is found", () =>
  withBrowser(async (browser) => {
    const page = await blank(browser);
    for (const [html, count] of [
      [`<p>by <i>EVIL ${HEBREW}</i> 12 votes</p>`, 1],
      [`<p>EVIL ${HEBREW}<span style="unicode-bidi: normal">12 votes</span></p>`, 1],
      [`<p>by <bdi>EVIL ${HEBREW}</bdi> 12 votes</p>`, 0],
      [`<p>by</p><p>EVIL ${HEBREW}</p>`, 0],
    ]) {
      await page.setContent(html);
      assert.equal((await mixedTexts(page)).length, count, html);
    }
  }));

test("texts from outside do no harm on public pages", () =>
  withHostileServer((url) =>
    withBrowser(async (browser) => {
      const [judge, found] = [await blank(browser), []];
      for (const width of [390, 1280]) {
        for (const path of PUBLIC) {
          const page = await blank(browser, { scheme: "light", width });
          page.on("dialog", (dialog) => assert.fail(dialog.message()));
          const response = await page.goto(url + path);
          assert.equal(response.status(), 200, path);
          found.push(...(await harm(page, judge, `${path} ${width}`)));
          await page.context().close();
        }
      }
      assert.deepEqual(found, []);
      // What stands beside a name of the other direction keeps its place.
      const page = await blank(browser);
      await page.goto(`${url}/servers/evil`);
      const lefts = await page.locator(".review .row", { hasText: `EVIL ${HEBREW}` }).last().locator("> *").evaluateAll((all) => all.map((part) => part.getBoundingClientRect().left));
      assert.deepEqual(lefts, lefts.toSorted((a, b) => a - b));
    }),
  ));

test("texts from outside do no harm on the pages of accounts and operators", () =>
  withHostileServer((url) =>
    withBrowser(async (browser) => {
      const [judge, found] = [await blank(browser), []];
      const page = await blank(browser, { scheme: "light", width: 390 }, { userAgent: `EVIL ${MARKUP}` });
      await page.goto(`${url}/sign-in`);
      await fill(page, { username: "root", password: PASSWORD });
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("heading", { name: "API keys" }).waitFor();
      await page.fill("#name", name(80));
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByRole("link", { name: "I have saved the secret" }).click();
      const key = page.url().split("?")[0].replace(url, "");
      await page.goto(`${url}${key}/settings`);
      await page.getByText("Request higher limits").click();
      await fill(page, { per_minute: "1200", reason: TEXT.slice(0, 400) });
      await page.getByRole("button", { name: "Send request" }).click();
      await page.getByText("An operator will reply here.").waitFor();
      const tabs = ["", "/usage", "/security", "/settings"].map((tab) => key + tab);
      for (const path of ["/dashboard", ...tabs, "/dashboard/account", "/dashboard/log", "/operator", "/operator/accounts", "/operator/keys", "/operator/log"]) {
        for (const width of [390, 1280]) {
          await page.setViewportSize({ width, height: 900 });
          await page.goto(url + path);
          found.push(...(await harm(page, judge, `${path} ${width}`)));
        }
      }
      assert.deepEqual(found, []);
    }),
  ));
