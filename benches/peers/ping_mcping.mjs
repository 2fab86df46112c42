// Pings servers with mcping-js, as Minetrack does. Arguments: PLAYERS CONCURRENCY HOST:PORT... Reads a number of pings per line and
// prints how many seconds they took.

import { createInterface } from "node:readline";
import mcping from "mcping-js";

const TIMEOUT_MS = 5000;
// Minetrack sends the protocol of the first version in its settings.
const PROTOCOL = 47;

const [players, concurrency] = process.argv.slice(2, 4).map(Number);
const servers = process.argv.slice(4).map((address) => {
  const [host, port] = address.split(":");
  return new mcping.MinecraftServer(host, Number(port));
});

const ping = (server) =>
  new Promise((resolve, reject) => {
    server.ping(TIMEOUT_MS, PROTOCOL, (error, status) => {
      if (error || status.players.online !== players) reject(error ?? new Error(JSON.stringify(status)));
      else resolve();
    });
  });

const lines = createInterface({ input: process.stdin });
console.log("ready");
for await (const line of lines) {
  const count = Number(line);
  let next = 0;
  const pingInSequence = async () => {
    while (next < count) await ping(servers[next++ % servers.length]);
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: concurrency }, pingInSequence));
  console.log((performance.now() - started) / 1000);
}
