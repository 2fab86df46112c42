// The stream of events.

import assert from "node:assert/strict";
import { test } from "node:test";

import { RollcallClient } from "rollcall-client";

import { MessageDecoder } from "../dist/sse.js";
import { baseUrl, command, fake, knownKey, oldestEvents, ROOMY } from "./service.mjs";

const FROM_THE_START = { query: { after: "start" } };

/** Passes so many bytes of each stream, then breaks it. */
function breaking(limit) {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!url.includes("/stream")) {
      return response;
    }
    let left = limit;
    const broken = new TransformStream({
      transform(chunk, controller) {
        controller.enqueue(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) {
          controller.error(new Error("broken"));
        }
      },
    });
    return new Response(response.body.pipeThrough(broken), response);
  };
}

test("a stream over breaking connections misses and repeats nothing", async () => {
  const { key } = await knownKey(...ROOMY);
  const expected = await oldestEvents(new RollcallClient({ baseUrl, apiKey: key }), 100);
  // Without a wait before the next connection.
  const rollcall = new RollcallClient({ baseUrl, apiKey: key, maxWait: 0, fetch: breaking(8_000) });
  const ids = [];
  for await (const event of rollcall.events(FROM_THE_START)) {
    ids.push(event.id);
    if (ids.length === expected.length) {
      break;
    }
  }
  assert.deepEqual(ids, expected);
});

test("a stream ends with its key, and cleanly when it is aborted", async () => {
  const { key, id } = await knownKey(...ROOMY);
  const rollcall = new RollcallClient({ baseUrl, apiKey: key });
  await oldestEvents(rollcall, 1);
  const controller = new AbortController();
  let seen = 0;
  for await (const _ of rollcall.events({ ...FROM_THE_START, signal: controller.signal })) {
    seen += 1;
    controller.abort();
  }
  assert.ok(seen > 0);
  for await (const _ of rollcall.events({ signal: AbortSignal.abort() })) {
    assert.fail("an event");
  }
  const untilTheEnd = async () => {
    let isDisabled = false;
    for await (const _ of rollcall.events(FROM_THE_START)) {
      isDisabled ||= (command("key", "disable", id), true);
    }
  };
  await assert.rejects(untilTheEnd(), { name: "RollcallError", message: "API key disabled", status: 403 });
  // Refused from the beginning.
  await assert.rejects(rollcall.events().next(), (error) => error.status === 403 && error.requestId !== undefined);
});

function event(id) {
  const data = { id, type: "vote.created", at: "2026-01-31T09:30:00.000Z", server: null, player: null, data: { voteId: "v" } };
  return `id: ${id}\nevent: vote.created\ndata: ${JSON.stringify(data)}\n\n`;
}

function end(status, seconds) {
  return `retry: ${seconds * 1000}\nevent: end\ndata: ${JSON.stringify({ status, error: "over", retryAfter: seconds })}\n\n`;
}

/** A client of a service that gives each connection the next of some answers: a text, or a status to try again at once. */
async function answering(context, answers, options = {}) {
  const asked = [];
  const url = await fake(context, (request, response) => {
    asked.push([request.url, request.headers["last-event-id"]]);
    const answer = answers.shift();
    if (typeof answer === "number") {
      response.writeHead(answer, { "retry-after": "0" }).end();
    } else {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(answer);
    }
  });
  return { asked, rollcall: new RollcallClient({ baseUrl: `${url}/v1`, apiKey: "rc_x", ...options }) };
}

test("it waits as long as the service says and continues after the last id", async (context) => {
  const answers = [
    `retry: 0\n\n${event("1")}`,
    // A block without data moves on, too.
    "retry: 0\nid: 2\n\n",
    503,
    429,
    end(503, 0),
    `retry: 0\n\n${event("3")}${end(429, 0)}`,
    end(429, 3_600),
  ];
  // One retry is enough: a stream that was open is not given up.
  const { asked, rollcall } = await answering(context, answers, { retries: 1 });
  const events = rollcall.events({ query: { server: "aurora-vale" } });
  assert.equal((await events.next()).value.id, "1");
  assert.equal((await events.next()).value.id, "3");
  await assert.rejects(events.next(), { status: 429, retryAfter: 3_600, message: "over" });
  assert.deepEqual(await events.next(), { done: true, value: undefined });
  assert.deepEqual(asked.map(([, id]) => id), [undefined, "1", "2", "2", "2", "2", "3"]);
  assert.ok(asked.every(([url]) => url === "/v1/events/stream?server=aurora-vale"));
});

test("a connection lost before the first event continues after the cursor of the opening", async (context) => {
  // The last block has no end: it was not received.
  const answers = ["retry: 0\nid: 1\n\n", "retry: 0\n\nid: 2\n", `retry: 0\n\n${event("3")}`];
  const { asked, rollcall } = await answering(context, answers);
  assert.equal((await rollcall.events().next()).value.id, "3");
  assert.deepEqual(asked.map(([, id]) => id), [undefined, "1", "1"]);
});

test("the first connection is given up, and wrong bytes are refused", async (context) => {
  const busy = await answering(context, [503, 503, 503], { retries: 1 });
  await assert.rejects(busy.rollcall.events().next(), { status: 503 });
  assert.equal(busy.asked.length, 2);
  for (const [body, message] of [["data: not JSON\n\n", "an event that is not JSON"], [`data: ${"x".repeat(2 << 20)}`, "an event that is too long"]]) {
    const { rollcall } = await answering(context, [body]);
    await assert.rejects(rollcall.events().next(), { message });
  }
});

test("chunks may end anywhere, and a message that never ends is refused", () => {
  const text = 'retry: 3000\nid: 6\n\n: comment\n\nid: 7\r\nevent: vote.created\r\ndata: {"a":\r\ndata:1}\r\n\r\nid:8\r\rdata: x\n\n';
  const expected = [
    { event: "", data: "", retry: 3000, id: "6" },
    { event: "vote.created", data: '{"a":\n1}', id: "7" },
    { event: "", data: "", id: "8" },
    { event: "", data: "x" },
  ];
  for (let size = 1; size <= text.length; size += 1) {
    const decoder = new MessageDecoder();
    const seen = [];
    for (let start = 0; start < text.length; start += size) {
      seen.push(...decoder.push(text.slice(start, start + size)));
    }
    assert.deepEqual(seen, expected, `chunks of ${size}`);
  }
  const decoder = new MessageDecoder();
  const line = `data: ${"x".repeat(60_000)}\n`;
  assert.throws(() => {
    for (let i = 0; i < 20; i += 1) {
      for (const _ of decoder.push(line));
    }
  }, RangeError);
});
