// The running service of the tests (TEST_URL), whose keys TEST_PROGRAM makes, and services on this machine that answer as they are told.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";

export const baseUrl = `${process.env.TEST_URL}/v1`;
export const ROOMY = ["--per-minute", "10000", "--per-day", "100000", "--per-month", "1000000"];

export function command(...given) {
  return execFileSync(process.env.TEST_PROGRAM, given, { encoding: "utf8" });
}

/** A new key and its id, when the service knows it: within a second. */
export async function knownKey(...limits) {
  const { key, id } = JSON.parse(command("key", "create", "--json", ...limits));
  const deadline = Date.now() + 60_000;
  while ((await fetch(`${baseUrl}/key`, { headers: { "X-API-Key": key } })).status === 401) {
    assert.ok(Date.now() < deadline, "the key is not known to the service");
    await setTimeout(100);
  }
  return { key, id };
}

/** The ids of the oldest events, when the demo's servers have told of enough players. */
export async function oldestEvents(rollcall, count) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const ids = [];
    for await (const event of rollcall.items("/events")) {
      ids.push(event.id);
      if (ids.length === count) {
        return ids;
      }
    }
    assert.ok(Date.now() < deadline, `${ids.length} events`);
    await setTimeout(200);
  }
}

/** A service that answers each request by a function. */
export async function fake(context, answer) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}
