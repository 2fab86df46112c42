// Runs a call whose response is a stream: shows events as they arrive, until the reader stops it or enough have come.
import { type Call } from "./call";
import { readEvents } from "./event-stream";
import { open, read, type RunResult } from "./run";
import { StreamView } from "./stream-view";
import { fill, text as texts } from "./translations";

const MAX_EVENTS = 50;
/** The service counts each minute as a request. */
const MAX_SECONDS = 60;

let running: AbortController | undefined;

/** Stops the stream that runs, if any: its page part is gone. */
export function abandonStream(): void {
  running?.abort(texts.streamStopped);
}

/** `show` gets the parts of the page once the stream is open. Resolves when it has ended; with a response if it did not open. */
export async function runStream(
  call: Call,
  key: string,
  baseUrl: string,
  show: (view: StreamView) => void,
): Promise<RunResult | undefined> {
  const controller = new AbortController();
  const { signal } = controller;
  running = controller;
  const timer = setTimeout(() => controller.abort(fill(texts.streamSeconds, MAX_SECONDS)), MAX_SECONDS * 1000);
  try {
    const opened = await open(call, key, signal);
    const { body, ok } = opened.response;
    if (!ok || !body) {
      return await read(opened);
    }
    const view = new StreamView(opened.response, baseUrl, () => controller.abort(texts.streamStopped));
    view.setStatus(fill(texts.streamOpen, MAX_EVENTS, MAX_SECONDS));
    show(view);
    // The reason of an abort is the sentence for the reader.
    view.end(await follow(body, view).catch(() => (signal.aborted ? String(signal.reason) : texts.streamLost)));
    return undefined;
  } finally {
    clearTimeout(timer);
    running = running === controller ? undefined : running;
  }
}

/** Shows the events; returns why it ended. */
async function follow(body: ReadableStream<Uint8Array>, view: StreamView): Promise<string> {
  for await (const { type, data } of readEvents(body)) {
    if (type === "end") {
      return fill(texts.streamEnded, String((data as { error?: unknown }).error ?? ""));
    }
    view.append(type, data);
    if (view.count === MAX_EVENTS) {
      return fill(texts.streamFull, MAX_EVENTS);
    }
  }
  return texts.streamLost;
}
