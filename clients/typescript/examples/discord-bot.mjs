// Posts the events of servers into a Discord channel, by a webhook of that channel (channel settings, Integrations):
//
//   ROLLCALL_URL=https://stats.example.org/v1 ROLLCALL_KEY=rc_… DISCORD_WEBHOOK=https://discord.com/api/webhooks/… \
//     node examples/discord-bot.mjs server.offline server.online server.peak
//
// The arguments are types of events; without any these three. ROLLCALL_SERVER follows one server (its slug); ROLLCALL_AFTER begins after
// an event, by its id, or with the oldest (`start`).

import { setTimeout } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

import { RollcallClient, RollcallError } from "rollcall-client";

/** The message for an event; `undefined` if this program does not know its type. */
export function message({ type, server, player, data, at }) {
  const where = `**${plain(server?.name ?? "")}**`;
  const who = plain(player?.nickname ?? "Someone");
  const texts = {
    "server.online": () => `🟢 ${where} is online again`,
    "server.offline": () => `🔴 ${where} is offline`,
    "server.peak": () => `📈 ${where} has a new record: ${data.players} players`,
    "server.version": () => `🆙 ${where} runs ${plain(data.version)} now, before ${plain(data.previousVersion)}`,
    "vote.created": () => `🗳️ ${who} voted for ${where}`,
    "review.created": () => `⭐ ${who} rated ${where} ${data.rating} of 5`,
    "post.approved": () => `📰 ${where}: ${plain(data.title)}`,
    "player.joined": () => `➡️ ${who} joined ${where}`,
    "player.left": () => `⬅️ ${who} left ${where}`,
    "player.renamed": () => `🏷️ ${plain(data.previousNickname)} is ${plain(data.nickname)} now`,
    "skin.published": () => `🎨 New skin: **${plain(data.name)}**`,
  };
  const text = texts[type]?.();
  // Nobody is notified: names come from strangers.
  return text && { content: `${text} (<t:${Math.floor(Date.parse(at) / 1000)}:R>)`, allowed_mentions: { parse: [] } };
}

/** Without the characters that format text. */
function plain(name) {
  return name.replace(/[\\*_~`|<>[\]()#@:]/g, "\\$&");
}

/** What the user of this program can put right; it is shown without a stack trace. */
class BotError extends Error {}

/** Posts to the webhook, and waits as long as Discord says. */
export async function post(webhook, body) {
  for (;;) {
    const response = await fetch(webhook, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    await response.body?.cancel();
    if (response.ok) {
      return;
    }
    if (response.status !== 429) {
      throw new BotError(`Discord answers with status ${response.status}`);
    }
    await setTimeout(Math.min(Number(response.headers.get("retry-after") ?? 1), 60) * 1000);
  }
}

async function run() {
  const { ROLLCALL_URL, ROLLCALL_KEY, DISCORD_WEBHOOK, ROLLCALL_SERVER, ROLLCALL_AFTER } = process.env;
  const missing = Object.entries({ ROLLCALL_URL, ROLLCALL_KEY, DISCORD_WEBHOOK }).flatMap(([name, value]) => (value ? [] : [name]));
  if (missing.length > 0) {
    throw new BotError(`Set ${missing.join(", ")}: the first lines of ${fileURLToPath(import.meta.url)} say how`);
  }
  const rollcall = new RollcallClient({ baseUrl: ROLLCALL_URL, apiKey: ROLLCALL_KEY });
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort()).once("SIGTERM", () => stop.abort());
  const types = process.argv.slice(2);
  const query = {
    type: types.length > 0 ? types : ["server.offline", "server.online", "server.peak"],
    ...(ROLLCALL_SERVER ? { server: ROLLCALL_SERVER } : {}),
    ...(ROLLCALL_AFTER ? { after: ROLLCALL_AFTER } : {}),
  };
  for await (const event of rollcall.events({ query, signal: stop.signal })) {
    const body = message(event);
    if (body) {
      await post(DISCORD_WEBHOOK, body);
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await run().catch((error) => {
    if (!(error instanceof BotError || error instanceof RollcallError)) {
      throw error;
    }
    console.error(error.message);
    process.exitCode = 1;
  });
}
