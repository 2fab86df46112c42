// The example programs run against the service.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { RollcallClient } from "rollcall-client";

import { message } from "../examples/discord-bot.mjs";
import { baseUrl, fake, knownKey, oldestEvents, ROOMY } from "./service.mjs";

const BOT = fileURLToPath(new URL("../examples/discord-bot.mjs", import.meta.url));

test("the Discord bot posts what happens, in order, and waits for Discord", async (context) => {
  const { key } = await knownKey(...ROOMY);
  await oldestEvents(new RollcallClient({ baseUrl, apiKey: key }), 5);
  const posts = [];
  let isBusy = true;
  let received;
  const all = new Promise((resolve) => (received = resolve));
  const discord = await fake(context, async (request, response) => {
    let text = "";
    for await (const chunk of request) {
      text += chunk;
    }
    if (isBusy) {
      isBusy = false;
      response.writeHead(429, { "retry-after": "0" }).end();
      return;
    }
    posts.push([request.method, request.url, JSON.parse(text)]);
    response.writeHead(204).end();
    if (posts.length === 5) {
      received();
    }
  });
  const environment = { ROLLCALL_URL: baseUrl, ROLLCALL_KEY: key, DISCORD_WEBHOOK: `${discord}/api/webhooks/1/x`, ROLLCALL_AFTER: "start" };
  const bot = spawn(process.execPath, [BOT, "player.joined"], { env: { ...process.env, ...environment }, stdio: "inherit" });
  const exit = once(bot, "exit");
  await Promise.race([all, exit.then(() => assert.fail("the bot ended"))]);
  bot.kill("SIGTERM");
  assert.deepEqual(await exit, [0, null]);
  const rollcall = new RollcallClient({ baseUrl, apiKey: key });
  const expected = [];
  for await (const event of rollcall.items("/events", { query: { type: ["player.joined"] } })) {
    expected.push(["POST", "/api/webhooks/1/x", message(event)]);
    if (expected.length === 5) {
      break;
    }
  }
  assert.deepEqual(posts.slice(0, 5), expected);
  assert.match(posts[0][2].content, /^➡️ .+ joined \*\*.+\*\* \(<t:\d+:R>\)$/);
});

test("the program of the guide runs as it is", async () => {
  const { key } = await knownKey(...ROOMY);
  const guide = readFileSync(new URL("../../../docs/guides/clients.md", import.meta.url), "utf8");
  const code = guide.split("```js\n")[1].split("```")[0].replace("https://stats.example.org/v1", baseUrl).replace("rc_YOUR_KEY", key);
  // In the folder of the package, which knows itself by its name.
  const options = { encoding: "utf8", cwd: fileURLToPath(new URL("..", import.meta.url)) };
  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", code], options);
  const german = [];
  for await (const server of new RollcallClient({ baseUrl, apiKey: key }).items("/servers", { query: { country: "Germany" } })) {
    german.push(server.name);
  }
  assert.ok(german.length > 0);
  assert.deepEqual(printed.trim().split("\n").map((line) => line.replace(/ \d+$/, "")), german);
});

test("names cannot format messages or mention anybody", () => {
  const server = { name: "**@everyone** [x](http://x)" };
  const sent = message({ type: "server.offline", at: "2026-01-31T09:30:00.000Z", server, player: null, data: {} });
  assert.deepEqual(sent, {
    content: "🔴 **\\*\\*\\@everyone\\*\\* \\[x\\]\\(http\\://x\\)** is offline (<t:1769851800:R>)",
    allowed_mentions: { parse: [] },
  });
});

test("the bot has a message for every type of event, and none for later ones", () => {
  const { components } = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"));
  const data = {
    "server.offline": { reason: "timeout" },
    "server.peak": { players: 81, previousPlayers: 80 },
    "server.version": { version: "1.21.5", previousVersion: "1.21.4" },
    "review.created": { reviewId: "r", rating: 4 },
    "post.approved": { postId: "p", title: "Season 2" },
    "player.renamed": { nickname: "Zoe", previousNickname: "Zoë" },
    "skin.published": { skinId: "s", slug: "fox", name: "Fox" },
  };
  const sent = Object.fromEntries(
    [...components.schemas.Event.properties.type.enum, "server.exploded"].map((type) => {
      const [server, player] = /^(server|vote|review|post|player\.[jl])/.test(type) ? [{ name: "Harbor" }, { nickname: "Ada" }] : [null, null];
      const text = message({ type, at: "2026-01-31T09:30:00.000Z", server, player, data: data[type] ?? {} })?.content;
      return [type, text?.replace(" (<t:1769851800:R>)", "")];
    }),
  );
  assert.deepEqual(sent, {
    "server.online": "🟢 **Harbor** is online again",
    "server.offline": "🔴 **Harbor** is offline",
    "server.peak": "📈 **Harbor** has a new record: 81 players",
    "server.version": "🆙 **Harbor** runs 1.21.5 now, before 1.21.4",
    "vote.created": "🗳️ Ada voted for **Harbor**",
    "review.created": "⭐ Ada rated **Harbor** 4 of 5",
    "post.approved": "📰 **Harbor**: Season 2",
    "player.joined": "➡️ Ada joined **Harbor**",
    "player.left": "⬅️ Ada left **Harbor**",
    "player.renamed": "🏷️ Zoë is Zoe now",
    "skin.published": "🎨 New skin: **Fox**",
    "server.exploded": undefined,
  });
});

test("the bot says what is missing or refused in one line", async () => {
  const start = (environment, ...given) => spawnSync(process.execPath, [BOT, ...given], { encoding: "utf8", env: { ...process.env, ...environment } });
  const missing = start({ ROLLCALL_URL: baseUrl, ROLLCALL_KEY: "", DISCORD_WEBHOOK: "" });
  assert.deepEqual([missing.status, missing.stderr], [1, `Set ROLLCALL_KEY, DISCORD_WEBHOOK: the first lines of ${BOT} say how\n`]);
  const given = { ROLLCALL_URL: baseUrl, ROLLCALL_KEY: (await knownKey(...ROOMY)).key, DISCORD_WEBHOOK: "http://127.0.0.1:1/" };
  const refused = start(given, "server.exploded");
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /^type must be .*"server\.exploded"\n$/);
});
