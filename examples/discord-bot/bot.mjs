// A Discord bot that answers "/server NAME" with the state of a game server. Discord sends each command to this program over
// HTTP and signs it, so no connection stays open and no package is needed. Needs Node.js 18 or later; see README.md.
import { createPublicKey, verify } from "node:crypto";
import { createServer } from "node:http";

const { ROLLCALL_KEY, DISCORD_PUBLIC_KEY, DISCORD_TOKEN, DISCORD_APPLICATION } = process.env;
const API = process.env.ROLLCALL_URL ?? "http://127.0.0.1:8080/v1";
const DISCORD = process.env.DISCORD_URL ?? "https://discord.com/api/v10";
const PORT = Number(process.env.PORT ?? 3000);

// Types of Discord's interactions and of our answers to them.
const [PING, COMMAND, AUTOCOMPLETE] = [1, 2, 4];
const [PONG, MESSAGE, CHOICES] = [1, 4, 8];
const ONLY_FOR_THE_USER = 64;
const [GREEN, RED] = [0x1a6b45, 0xa3262a];
const MAX_BODY_BYTES = 64 * 1024;

const COMMANDS = [
  {
    name: "server",
    description: "State of a game server",
    options: [{ type: 3, name: "name", description: "Name of the server", required: true, autocomplete: true, min_length: 2, max_length: 100 }],
  },
];

/** The API of the statistics. A 404 is `undefined`. */
async function get(path) {
  const response = await fetch(API + path, { headers: { "X-API-Key": ROLLCALL_KEY } });
  if (response.status === 404) {
    return undefined;
  }
  const body = await response.json();
  if (!body.success) {
    throw new Error(`${response.status}: ${body.error}`);
  }
  return body.data;
}

async function search(text) {
  if ([...text.trim()].length < 2) {
    return [];
  }
  const found = await get(`/search?type=servers&limit=10&q=${encodeURIComponent(text)}`);
  return found?.results.servers ?? [];
}

async function answer(interaction) {
  const text = String(interaction.data?.options?.[0]?.value ?? "");
  if (interaction.type === PING) {
    return { type: PONG };
  }
  if (interaction.type === AUTOCOMPLETE) {
    const choices = (await search(text)).map(({ name, slug }) => ({ name: name.slice(0, 100), value: slug }));
    return { type: CHOICES, data: { choices } };
  }
  if (interaction.type === COMMAND) {
    return { type: MESSAGE, data: await describe(text) };
  }
  throw new Error(`unknown interaction type ${interaction.type}`);
}

/** The message for a slug, which the choices give, or for text that the user typed. */
async function describe(text) {
  const bySlug = /^[a-z0-9-]{1,64}$/.test(text) ? await get(`/servers/${text}`) : undefined;
  const slug = bySlug ? text : (await search(text))[0]?.slug;
  const server = bySlug?.server ?? (slug && (await get(`/servers/${slug}`))?.server);
  if (!server) {
    return { content: "No server has this name.", flags: ONLY_FOR_THE_USER, allowed_mentions: { parse: [] } };
  }
  const field = (name, value) => ({ name, value: String(value), inline: true });
  const embed = {
    title: server.name,
    description: server.motd,
    color: server.isOnline ? GREEN : RED,
    thumbnail: { url: server.iconUrl },
    fields: [
      field("Players", server.isOnline ? `${server.currentPlayers} of ${server.maxPlayers}` : "offline"),
      field("Version", server.version),
      field("Uptime", `${server.uptime} %`),
      field("Address", server.port === 25565 ? server.ip : `${server.ip}:${server.port}`),
    ],
  };
  // Names come from strangers: they must not mention anybody.
  return { embeds: [embed], allowed_mentions: { parse: [] } };
}

// Discord's key has 32 bytes; Node.js wants it with this prefix (SPKI for Ed25519).
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const publicKey = createPublicKey({
  key: Buffer.concat([SPKI_PREFIX, Buffer.from(DISCORD_PUBLIC_KEY ?? "", "hex")]),
  format: "der",
  type: "spki",
});

function isFromDiscord(headers, body) {
  const signature = Buffer.from(String(headers["x-signature-ed25519"] ?? ""), "hex");
  const timestamp = Buffer.from(String(headers["x-signature-timestamp"] ?? ""));
  return signature.length === 64 && verify(null, Buffer.concat([timestamp, body]), publicKey, signature);
}

async function read(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) {
      throw new Error("the body is too long");
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function handle(request) {
  const body = await read(request);
  if (request.method !== "POST" || !isFromDiscord(request.headers, body)) {
    return [401, { error: "invalid signature" }];
  }
  const interaction = JSON.parse(body);
  try {
    return [200, await answer(interaction)];
  } catch (error) {
    console.error(error.message);
    const content = "The statistics are not available right now. Please try again.";
    return [200, { type: MESSAGE, data: { content, flags: ONLY_FOR_THE_USER } }];
  }
}

/** Tells Discord which commands there are. */
async function register() {
  const response = await fetch(`${DISCORD}/applications/${DISCORD_APPLICATION}/commands`, {
    method: "PUT",
    headers: { Authorization: `Bot ${DISCORD_TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify(COMMANDS),
  });
  if (!response.ok) {
    throw new Error(`Discord did not accept the commands: ${response.status} ${await response.text()}`);
  }
}

await register();
const server = createServer((request, response) => {
  handle(request)
    .catch((error) => [400, { error: error.message }])
    .then(([status, body]) => {
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(body));
    });
});
server.listen(PORT, "127.0.0.1", () => console.log(`Listening on http://127.0.0.1:${server.address().port}`));
