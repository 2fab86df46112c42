// A client written by others (npm: minecraft-protocol) joins the listener of the service, and the code that it is shown links an
// account with the player. Usage: linking.mjs ROLLCALL [DATABASE]
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as joinPath } from "node:path";
import { createInterface } from "node:readline";
import minecraft from "minecraft-protocol";
import { SessionServer, account } from "./session_server.mjs";

/** For all of it, which takes seconds on an idle machine. */
const TIMEOUT_MS = 120_000;
const VERSIONS = ["1.8.9", "1.19.4", "1.21.4"];
const PASSWORD = "correct horse battery staple";

const sessions = new SessionServer();
const authUrl = await sessions.start();
const folder = mkdtempSync(joinPath(tmpdir(), "rollcall-linking-"));
const [program, database] = process.argv.slice(2);
const store = ["--data", folder, ...(database ? ["--database", database] : [])];
const service = spawn(program, ["serve", "--listen", "127.0.0.1:0", ...store], {
  env: {
    ...process.env,
    ROLLCALL_LINKING_LISTEN: "127.0.0.1:0",
    ROLLCALL_LINKING_AUTH_URL: authUrl,
    ROLLCALL_ACCOUNTS_SIGN_UP_CHECK: "off",
    ROLLCALL_TRACKER_PING_INTERVAL: "off",
  },
  stdio: ["ignore", "pipe", "pipe"],
});

function finish(status) {
  service.kill();
  sessions.stop();
  rmSync(folder, { recursive: true, force: true });
  process.exit(status);
}

// Nothing below waits without end: a peer that stays silent ends the test.
setTimeout(() => {
  console.log("FAIL  timed out");
  finish(1);
}, TIMEOUT_MS).unref();

/** The first match of a pattern in the lines of a stream. */
async function find(stream, pattern) {
  for await (const line of createInterface({ input: stream })) {
    const match = pattern.exec(line);
    if (match) return match[1];
  }
  throw new Error(`the service ended without ${pattern}`);
}

const [base, port] = await Promise.all([
  find(service.stdout, /^Listening on (http:\S+)/),
  find(service.stderr, /players join 127\.0\.0\.1:(\d+)/),
]);
service.stderr.resume();

/** Joins, and returns the text that the player sees. */
function join(version) {
  const client = minecraft.createClient({
    host: "127.0.0.1",
    port: Number(port),
    version,
    username: account.name,
    sessionServer: authUrl,
    hideErrors: true,
    closeTimeout: 1000,
    auth: (client, options) => {
      client.username = account.name;
      client.session = { selectedProfile: { id: account.id, name: account.name } };
      options.accessToken = account.accessToken;
      options.haveCredentials = true;
      options.connect(client);
    },
  });
  return new Promise((resolve, reject) => {
    client.on("disconnect", (packet) => resolve(JSON.parse(packet.reason).text));
    client.on("error", reject);
    client.on("end", () => reject(new Error("the connection ended without a text")));
  });
}

const cookies = new Map();

/** Sends a request with the cookies so far, and keeps new ones. */
async function request(path, fields) {
  const response = await fetch(base + path, {
    method: fields ? "POST" : "GET",
    redirect: "manual",
    headers: {
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      ...(fields && { origin: base, "content-type": "application/x-www-form-urlencoded" }),
    },
    body: fields && new URLSearchParams(fields).toString(),
  });
  for (const cookie of response.headers.getSetCookie()) {
    const [name, value] = cookie.split(";")[0].split(/=(.*)/s);
    cookies.set(name, value);
  }
  return { response, html: await response.text() };
}

/** Opens a page and submits one of its forms; returns where it leads. */
async function submit(page, action, fields) {
  const { html } = await request(page);
  const token = /name="token" value="([^"]+)"/.exec(html)[1];
  const { response, html: answer } = await request(action, { token, ...fields });
  assert.equal(response.status, 303, answer);
  return response.headers.get("location");
}

try {
  await submit("/sign-up", "/sign-up", { username: "notch-owner", password: PASSWORD, again: PASSWORD });
  for (const version of VERSIONS) {
    const text = await join(version);
    const [, code, page] = /^Your code: ([A-HJ-NP-Z2-9]{8})\n\nEnter it within 5 minutes on\n(\S+)$/.exec(text) ?? assert.fail(text);
    assert.equal(page, `${base}/dashboard/player`);
    const target = await submit("/dashboard/player", "/dashboard/player/link", { code });
    assert.equal(target, "/dashboard/player?done=player-linked");
    const { html } = await request("/dashboard/player");
    assert.match(html, /<bdi>Notch<\/bdi>/);
    assert.match(html, /Proved by joining/);
    await submit("/dashboard/player", "/dashboard/player/unlink", {});
    console.log(`ok    ${version} joins the service and is linked (${database ? "PostgreSQL" : "SQLite"})`);
  }
  finish(0);
} catch (error) {
  console.log(`FAIL  ${error.message}`);
  finish(1);
}
