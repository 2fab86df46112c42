// Clients written by others (npm: minecraft-protocol) join our listener and judge it. Usage: peers.mjs VERIFIER
// VERIFIER is the example verify of crates/minecraft.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { createInterface } from "node:readline";
import minecraft from "minecraft-protocol";
import { SessionServer, account } from "./session_server.mjs";

/** For all of it, which takes seconds on an idle machine. */
const TIMEOUT_MS = 180_000;
const VERSIONS = ["1.7.10", "1.8.9", "1.12.2", "1.16.5", "1.18.2", "1.19", "1.19.2", "1.19.4", "1.20.4", "1.20.6", "1.21.4", "1.21.11", "26.1"];
const SIGNED_VERSIONS = ["1.19", "1.19.2"];
const UUID = "069a79f4-44e9-4726-a5be-fca90e38aaf5";

const sessions = new SessionServer();
const authUrl = await sessions.start();
const verifier = spawn(process.argv[2], [authUrl], { stdio: ["pipe", "pipe", "inherit"] });
const lines = createInterface({ input: verifier.stdout })[Symbol.asyncIterator]();
const nextLine = async () => JSON.parse((await lines.next()).value);
// Nothing below waits without end: a peer that stays silent ends the test.
setTimeout(() => {
  console.log("FAIL  timed out");
  verifier.kill();
  process.exit(1);
}, TIMEOUT_MS).unref();
const { host, port } = await nextLine();

/** Joins, and returns the text that the player sees. */
function join(version, { loggedIn = true, name = account.name, profileKeys } = {}) {
  const client = minecraft.createClient({
    host,
    port,
    version,
    username: name,
    sessionServer: authUrl,
    hideErrors: true,
    closeTimeout: 1000,
    auth: (client, options) => {
      client.username = name;
      client.session = { selectedProfile: { id: account.id, name } };
      client.profileKeys = profileKeys;
      options.accessToken = account.accessToken;
      options.haveCredentials = loggedIn;
      options.connect(client);
    },
  });
  return new Promise((resolve, reject) => {
    client.on("disconnect", (packet) => resolve(JSON.parse(packet.reason).text));
    client.on("error", reject);
    client.on("end", () => reject(new Error("the connection ended without a text")));
  });
}

/** The signing key of a player: clients of 1.19 to 1.19.2 sign the verify token with it. */
function signingKeys() {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const signature = Buffer.alloc(512, 7);
  return { public: publicKey, private: privateKey, expiresOn: new Date(Date.now() + 86_400_000), signature, signatureV2: signature };
}

const COULD_NOT = "Could not verify your account: ";
const failures = [];

async function check(what, test) {
  try {
    await test();
    console.log(`ok    ${what}`);
  } catch (error) {
    failures.push(what);
    console.log(`FAIL  ${what}: ${error.message}`);
  }
}

async function isVerified(version, options) {
  const text = await join(version, options);
  const { code, ...verified } = await nextLine();
  assert.deepEqual(verified, { uuid: UUID, name: account.name, ip: host });
  assert.match(code, /^[A-HJ-NP-Z2-9]{8}$/);
  assert.equal(text, `Your code: ${code}`);
  assert.equal(sessions.asked.at(-1), sessions.joined.at(-1), "the digest of the client");
}

async function isRefused(text, failure, options) {
  assert.equal(await join("1.21.4", options), COULD_NOT + text);
  assert.deepEqual(await nextLine(), { ip: host, failure });
}

for (const version of VERSIONS) {
  await check(`${version} gets its code`, () => isVerified(version));
}
for (const version of SIGNED_VERSIONS) {
  await check(`${version} with a signing key gets its code`, () => isVerified(version, { profileKeys: signingKeys() }));
}
await check("the session server's spelling of a name counts", () => isVerified("1.21.4", { name: "nOTCH" }));
await check("24 joins have digests of both signs", async () => {
  for (let round = 0; round < 24; round++) await isVerified("1.21.4");
  assert(sessions.joined.some((digest) => digest.startsWith("-")));
  assert(sessions.joined.some((digest) => !digest.startsWith("-")));
});

const NOT_JOINED = "the session server does not know of your login. Restart the launcher, then join again.";
const NO_ANSWER = "the session server gives no usable answer. Try again later.";
await check("a client that has not joined is refused", () => isRefused(NOT_JOINED, "NotJoined", { loggedIn: false }));
await check("the name of another account is refused", () => isRefused(NOT_JOINED, "NotJoined", { name: "jeb_" }));
for (const [status, body, reason] of [
  [500, {}, "the answer has status 500"],
  [301, {}, "the answer has status 301"],
  [200, "not a profile", "the answer is not a profile"],
  [200, { id: "notch", name: "Notch" }, "the id of the profile is not a UUID"],
  [200, { id: account.id, name: "jeb_" }, "the profile has another name"],
  [200, { id: account.id, name: "Notch", properties: "x".repeat(20_000) }, "length limit exceeded"],
]) {
  sessions.override = { status, body };
  await check(`a session server that fails: ${reason}`, () => isRefused(NO_ANSWER, `SessionServer("${reason}")`));
}
sessions.override = null;

for (const version of ["1.8.9", "1.21.4"]) {
  await check(`${version} sees the listener in its server list`, async () => {
    const status = await minecraft.ping({ host, port, version });
    const { protocol } = status.version;
    assert.equal(protocol, (await import("minecraft-data")).default(version).version.version);
    assert.deepEqual(status.description, { text: "Join to get your code" });
    assert.equal(status.players.online, 0);
    assert(status.latency >= 0);
  });
}

verifier.stdin.end();
sessions.stop();
process.exit(failures.length === 0 ? 0 : 1);
