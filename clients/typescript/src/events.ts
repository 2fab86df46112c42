// Events as they happen.

import { RollcallError } from "./error.js";
import { passes, type RetryOptions, sleep, waitBefore } from "./retry.js";
import type { components } from "./schema.js";
import { type Message, MessageDecoder } from "./sse.js";

type Schemas = components["schemas"];

/** What can happen: `server.offline` and others. */
export type EventType = Schemas["Event"]["type"];

/** An event of this type: `EventOf<"server.offline">["data"]` has the reason. */
export type EventOf<T extends EventType> = T extends EventType
  ? Omit<Schemas["Event"], "type" | "data"> & { type: T; data: DataOf<T> }
  : never;

/** What happened. A comparison of `type` tells the type of `data`. A newer service may send types that are not listed here. */
export type Event = EventOf<EventType>;

/** The API document has one schema for all events, and names those of their data by type: `ServerOfflineData`. */
type DataOf<T extends EventType> = T extends `${infer Subject}.${infer Verb}`
  ? `${Capitalize<Subject>}${Capitalize<Verb>}Data` extends infer Name extends keyof Schemas
    ? Schemas[Name]
    : never
  : never;

/** The service sends something every 15 seconds. A connection that is silent for longer is lost. */
const SILENCE_MS = 45_000;
/** Until the service says another one. */
const RETRY_S = 3;

/** Yields events, connects again after the last one, and waits as long as the service says. `open` gives a response with status 200. */
export async function* followEvents(
  open: (lastId: string | undefined) => Promise<Response>,
  options: RetryOptions,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, void, undefined> {
  let lastId: string | undefined;
  let wasOpen = false;
  let failures = 0;
  while (!signal?.aborted) {
    let wait: number | undefined;
    try {
      const response = await open(lastId);
      wasOpen = true;
      failures = 0;
      let retry = RETRY_S;
      for await (const message of messages(response, signal)) {
        retry = message.retry === undefined ? retry : message.retry / 1000;
        // Also of a block without data: the first one has the cursor of a stream without events yet.
        lastId = message.id || lastId;
        if (message.event === "end") {
          throw endOf(message);
        }
        if (message.data !== "") {
          yield parsed<Event>(message.data);
        }
      }
      wait = Math.min(retry, options.maxWait);
    } catch (error) {
      if (signal?.aborted) {
        return;
      }
      if (!(error instanceof RollcallError)) {
        throw error;
      }
      failures += 1;
      // A stream that was open before is not given up for a failure that passes.
      const retries = wasOpen && passes(error.status) ? Infinity : options.retries;
      wait = waitBefore(failures, error.status, error.retryAfter, { ...options, retries });
      if (wait === undefined) {
        throw error;
      }
    }
    // An abort ends the wait; the loop sees it.
    await sleep(wait, signal).catch(() => {});
  }
}

/** The messages of one connection, until it is lost. */
async function* messages(response: Response, signal: AbortSignal | undefined): AsyncGenerator<Message, void, undefined> {
  const reader = response.body?.getReader();
  const decoder = new MessageDecoder();
  const text = new TextDecoder();
  try {
    while (reader) {
      const silence = setTimeout(() => reader.cancel().catch(() => {}), SILENCE_MS);
      const { done, value } = await reader
        .read()
        .catch(() => ({ done: true, value: undefined }) as const)
        .finally(() => clearTimeout(silence));
      if (done || signal?.aborted) {
        return;
      }
      yield* decoder.push(text.decode(value, { stream: true }));
    }
  } finally {
    await reader?.cancel().catch(() => {});
  }
}

/** Why the service closes the stream. */
function endOf(message: Message): RollcallError {
  const { status, error, retryAfter } = parsed<{ status: number; error: string; retryAfter: number }>(message.data);
  return new RollcallError(error, { status, retryAfter: message.retry === undefined ? retryAfter : message.retry / 1000 });
}

function parsed<T>(data: string): T {
  try {
    return JSON.parse(data) as T;
  } catch {
    throw new RangeError("an event that is not JSON");
  }
}
