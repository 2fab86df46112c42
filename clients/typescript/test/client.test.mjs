// The client against a running service: TEST_URL, with TEST_PROGRAM making keys in its store.

import assert from "node:assert/strict";
import { test } from "node:test";

import { RollcallClient, RollcallError } from "rollcall-client";

import { baseUrl, fake, knownKey, ROOMY } from "./service.mjs";

function client(apiKey, options = {}) {
  return new RollcallClient({ baseUrl, apiKey, ...options });
}

test("typed data, path values and query values", async () => {
  const rollcall = client((await knownKey(...ROOMY)).key);
  const { servers, pagination } = await rollcall.get("/servers", { query: { limit: 2, sort: "players", onlineOnly: undefined } });
  assert.equal(servers.length, 2);
  assert.ok(pagination.total > 200, String(pagination.total));
  const { server } = await rollcall.get("/servers/{slug}", { path: { slug: servers[0].slug } });
  assert.equal(server.id, servers[0].id);
  assert.ok(rollcall.quota.minute < 10_000 && rollcall.quota.month < 1_000_000, JSON.stringify(rollcall.quota));
});

test("a list is read whole, each item once", async () => {
  const rollcall = client((await knownKey(...ROOMY)).key);
  const slugs = [];
  for await (const server of rollcall.items("/servers", { query: { sort: "name" } })) {
    slugs.push(server.slug);
  }
  const { pagination } = await rollcall.get("/servers");
  assert.equal(slugs.length, pagination.total);
  assert.equal(new Set(slugs).size, slugs.length);
});

test("a leaderboard and a history are lists, too", async (context) => {
  const rollcall = client((await knownKey(...ROOMY)).key);
  const entries = [];
  // More than one page.
  for await (const entry of rollcall.items("/leaderboards", { query: { metric: "sessions" } })) {
    entries.push(entry);
    if (entries.length === 150) {
      break;
    }
  }
  assert.equal(new Set(entries.map(({ player }) => player.id)).size, 150);
  assert.ok(entries.every(({ rank }, i) => i === 0 || rank >= entries[i - 1].rank));
  for await (const point of rollcall.items("/live/history", { query: { resolution: "1h" } })) {
    assert.ok(point.players.avg >= 0);
    break;
  }

  const pages = [
    { leaderboard: { metric: "best", entries: [{ rank: 1 }, { rank: 2 }] }, pagination: { limit: 100, total: 3 }, next: "c2" },
    { leaderboard: { metric: "best", entries: [{ rank: 3 }] }, pagination: { limit: 100, total: 3 }, next: null },
  ];
  const asked = [];
  const url = await fake(context, (request, response) => {
    asked.push(request.url);
    response.end(JSON.stringify({ success: true, data: pages.shift() }));
  });
  const ranks = [];
  for await (const { rank } of new RollcallClient({ baseUrl: `${url}/v1`, apiKey: "rc_x" }).items("/leaderboards", { query: { tier: "HT1" } })) {
    ranks.push(rank);
  }
  assert.deepEqual(ranks, [1, 2, 3]);
  assert.deepEqual(asked, ["start", "c2"].map((after) => `/v1/leaderboards?limit=100&tier=HT1&after=${after}`));
});

test("an error has the message, the status and the request id", async () => {
  const rollcall = client((await knownKey(...ROOMY)).key);
  await assert.rejects(rollcall.get("/servers", { query: { limit: 1000 } }), (error) => {
    assert.ok(error instanceof RollcallError);
    assert.equal(error.status, 400);
    assert.match(error.message, /^limit must be a whole number from 1 to 100/);
    assert.ok(error.requestId);
    return true;
  });
  await assert.rejects(client("rc_wrong").get("/live"), (error) => error.status === 401);
  await assert.rejects(rollcall.get("/servers/{slug}", { path: { slug: "a/b?c" } }), (error) => error.status === 404);
});

test("a used-up limit is waited for as long as the service says, but not for too long", async () => {
  const { key } = await knownKey("--per-minute", "1000", "--per-day", "1", "--per-month", "1000");
  const rollcall = client(key);
  await rollcall.get("/live");
  // Hours are left of the day.
  await assert.rejects(client(key, { maxWait: 0 }).get("/live"), (error) => error.status === 429 && error.retryAfter > 0);

  let refused = 0;
  const busyTwice = async (url, init) => {
    refused += 1;
    return refused <= 2 ? new Response("<p>busy</p>", { status: 503, headers: { "retry-after": "0" } }) : fetch(url, init);
  };
  const patient = client((await knownKey(...ROOMY)).key, { fetch: busyTwice });
  assert.ok((await patient.get("/live")).stats);
  assert.equal(refused, 3);
  refused = 0;
  await assert.rejects(client(key, { fetch: busyTwice, retries: 1 }).get("/live"), (error) => error.status === 503);
});

test("a call can be cancelled, and a service that is not there is named", async () => {
  const { key } = await knownKey(...ROOMY);
  const controller = new AbortController();
  controller.abort(new Error("cancelled"));
  await assert.rejects(client(key).get("/live", { signal: controller.signal }), /cancelled/);
  const nowhere = new RollcallClient({ baseUrl: "http://127.0.0.1:1/v1", apiKey: key, retries: 0 });
  await assert.rejects(nowhere.get("/live"), /^RollcallError: no answer from http:\/\/127\.0\.0\.1:1\/v1: /);
});

test("answers that are not as documented are refused, and the key stays with the service", async (context) => {
  let elsewhere = 0;
  const other = await fake(context, (_, response) => {
    elsewhere += 1;
    response.end();
  });
  const url = await fake(context, (request, response) => {
    if (request.url === "/v1/live") {
      response.writeHead(302, { location: other }).end();
    } else {
      response.end("x".repeat((32 << 20) + 1));
    }
  });
  const rollcall = new RollcallClient({ baseUrl: `${url}/v1`, apiKey: "rc_x", retries: 0 });
  await assert.rejects(rollcall.get("/live"), /^RollcallError: no answer from /);
  await assert.rejects(rollcall.get("/key"), /^RollcallError: unexpected answer with status 200/);
  assert.equal(elsewhere, 0);
});
