// Asks as Minetrack does, by mcping-js: PLAYERS AT_ONCE HOST:PORT...; then reads a number of asks per line and says how
// many seconds they took.

import { createInterface } from "node:readline";
import mcping from "mcping-js";

const PATIENCE = 5000;
// Minetrack's own: the protocol of the first version that a server lists.
const PROTOCOL = 47;

const [players, atOnce] = process.argv.slice(2, 4).map(Number);
const servers = process.argv.slice(4).map((address) => {
  const [host, port] = address.split(":");
  return new mcping.MinecraftServer(host, Number(port));
});

const ask = (server) =>
  new Promise((resolve, reject) => {
    server.ping(PATIENCE, PROTOCOL, (error, status) => {
      if (error || status.players.online !== players) reject(error ?? new Error(JSON.stringify(status)));
      else resolve();
    });
  });

const lines = createInterface({ input: process.stdin });
console.log("ready");
for await (const line of lines) {
  const count = Number(line);
  let next = 0;
  const oneAfterTheOther = async () => {
    while (next < count) await ask(servers[next++ % servers.length]);
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: atOnce }, oneAfterTheOther));
  console.log((performance.now() - began) / 1000);
}
