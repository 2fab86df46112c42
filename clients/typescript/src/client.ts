import { RollcallError } from "./error.js";
import { type Event, followEvents } from "./events.js";
import type { Data, Item, ListPath, Path, PathValues, QueryValues } from "./paths.js";
import { type RetryOptions, retryAfterOf, sleep, waitBefore } from "./retry.js";
import type { components } from "./schema.js";

/** More than any answer of the service has. */
const MAX_BODY = 32 << 20;

export interface ClientOptions extends Partial<RetryOptions> {
  /** The base URL with the version: `https://stats.example.org/v1`. */
  baseUrl: string;
  apiKey: string;
  /** Seconds until a request without an answer is given up. Default: 30. */
  timeout?: number;
  /** Another `fetch`, for proxies and tests. */
  fetch?: typeof fetch;
}

/** What one request needs besides its path. */
export type RequestOptions<P extends Path> = {
  query?: QueryValues<P>;
  signal?: AbortSignal;
} & (keyof PathValues<P> extends never ? { path?: undefined } : { path: PathValues<P> });

/** What a stream of events needs. */
export interface EventsOptions {
  query?: QueryValues<"/events/stream">;
  /** Ends the loop when it aborts, without an error. */
  signal?: AbortSignal;
}

/** What is left of the quota. */
export interface Quota {
  minute: number;
  day: number;
  month: number;
}

type Arguments<P extends Path> = keyof PathValues<P> extends never ? [options?: RequestOptions<P>] : [options: RequestOptions<P>];

/** `/live/history` has another form when parameters select a range. */
type LastWeek = components["schemas"]["LiveHistory"];
type Range = components["schemas"]["LiveHistoryRange"];
type RangeQuery = QueryValues<"/live/history">;
/** At least one of the values. */
type AnyOf<V> = { [K in keyof V]-?: Record<K, NonNullable<V[K]>> }[keyof V];

export class RollcallClient {
  readonly #baseUrl: string;
  readonly #apiKey: string;
  readonly #timeout: number;
  readonly #retry: RetryOptions;
  readonly #fetch: typeof fetch;
  #quota: Quota | undefined;

  constructor(options: ClientOptions) {
    this.#baseUrl = options.baseUrl.replace(/\/+$/, "");
    this.#apiKey = options.apiKey;
    this.#timeout = options.timeout ?? 30;
    this.#retry = { retries: options.retries ?? 4, maxWait: options.maxWait ?? 120 };
    this.#fetch = options.fetch ?? fetch;
  }

  /** What was left after the last answer; `undefined` before the first one. */
  get quota(): Quota | undefined {
    return this.#quota;
  }

  /** The `data` of an endpoint. Waits and tries again when a limit is used up or the service is busy. */
  get(path: "/live/history", options?: Omit<RequestOptions<"/live/history">, "query">): Promise<LastWeek>;
  get(path: "/live/history", options: RequestOptions<"/live/history"> & { query: AnyOf<RangeQuery> }): Promise<Range>;
  get<P extends Path>(path: P, ...[options]: Arguments<P>): Promise<Data<P>>;
  async get<P extends Path>(path: P, ...[options]: Arguments<P>): Promise<Data<P>> {
    const url = this.#url(path, options);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#request<P>(url, options?.signal);
      } catch (error) {
        if (!(error instanceof RollcallError)) {
          throw error;
        }
        const wait = waitBefore(attempt, error.status, error.retryAfter, this.#retry);
        if (wait === undefined) {
          throw error;
        }
        await sleep(wait, options?.signal);
      }
    }
  }

  /**
   * All items of a list, page by page. While the list changes, each item comes exactly once, except one that moves across the cursor:
   * its sort value has changed, so that it may come twice or not at all.
   */
  async *items<P extends ListPath>(path: P, ...[options]: Arguments<P>): AsyncGenerator<Item<P>, void, undefined> {
    let after: string | null | undefined = "start";
    while (typeof after === "string") {
      const query = { limit: 100, ...options?.query, after };
      const data = (await this.get(path, ...([{ ...options, query }] as unknown as Arguments<P>))) as { next?: string | null };
      const page = (listIn(data) ?? []) as Item<P>[];
      yield* page;
      // A list that grows at its end, such as the events, always has a next page.
      after = page.length > 0 ? data.next : undefined;
    }
  }

  /**
   * Events as they happen. It connects again by itself and continues after the last event: nothing is missed or repeated. Leave the
   * loop or abort the signal to stop. It throws when the service refuses the request, when a wait would be longer than `maxWait`, or
   * when the first connection fails `retries` times.
   */
  events(options: EventsOptions = {}): AsyncGenerator<Event, void, undefined> {
    const url = this.#url("/events/stream", options);
    return followEvents((lastId) => this.#open(url, lastId, options.signal), this.#retry, options.signal);
  }

  #url(path: Path, options: { path?: unknown; query?: unknown } | undefined): string {
    const values = (options?.path ?? {}) as Record<string, unknown>;
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(options?.query ?? {})) {
      if (value !== undefined && value !== null) {
        query.set(name, Array.isArray(value) ? value.join(",") : String(value));
      }
    }
    return `${this.#baseUrl}${filled}${query.size > 0 ? `?${query}` : ""}`;
  }

  async #request<P extends Path>(url: string, signal: AbortSignal | undefined): Promise<Data<P>> {
    const timeout = AbortSignal.timeout(this.#timeout * 1000);
    const response = await this.#send(url, { Accept: "application/json" }, signal ? AbortSignal.any([signal, timeout]) : timeout, signal);
    const body = await this.#json(response, signal);
    if (response.ok && body?.success === true && body.data !== undefined) {
      return body.data as Data<P>;
    }
    throw refusal(response, body);
  }

  /** Opens the stream of events. The time is limited until it is open. */
  async #open(url: string, lastId: string | undefined, signal: AbortSignal | undefined): Promise<Response> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(new Error(`nothing within ${this.#timeout} s`)), this.#timeout * 1000);
    try {
      const headers = { Accept: "text/event-stream", ...(lastId === undefined ? {} : { "Last-Event-ID": lastId }) };
      const response = await this.#send(url, headers, signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal, signal);
      if (response.status === 200) {
        return response;
      }
      throw refusal(response, await this.#json(response, signal));
    } finally {
      clearTimeout(timer);
    }
  }

  async #send(url: string, headers: Record<string, string>, ends: AbortSignal, signal: AbortSignal | undefined): Promise<Response> {
    let response: Response;
    try {
      // A redirect would take the key to another host.
      response = await this.#fetch(url, { headers: { "X-API-Key": this.#apiKey, ...headers }, redirect: "error", signal: ends });
    } catch (cause) {
      throw this.#noAnswer(cause, signal);
    }
    this.#remember(response.headers);
    return response;
  }

  /** The body, if it is JSON: a proxy may answer with a page. */
  async #json(response: Response, signal: AbortSignal | undefined): Promise<Answer | undefined> {
    const chunks: string[] = [];
    const decoder = new TextDecoder();
    let length = 0;
    try {
      for (const reader = response.body?.getReader(); reader !== undefined; ) {
        const { done, value } = await reader.read();
        if (done) {
          break;
        }
        length += value.length;
        if (length > MAX_BODY) {
          await reader.cancel();
          return undefined;
        }
        chunks.push(decoder.decode(value, { stream: true }));
      }
    } catch (cause) {
      throw this.#noAnswer(cause, signal);
    }
    try {
      return JSON.parse(chunks.join("")) as Answer;
    } catch {
      return undefined;
    }
  }

  #noAnswer(cause: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) {
      return signal.reason;
    }
    return new RollcallError(`no answer from ${this.#baseUrl}: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }

  #remember(headers: Headers): void {
    const [minute, day, month] = ["minute", "day", "month"].map((window) => headers.get(`x-ratelimit-remaining-${window}`));
    if (minute && day && month) {
      this.#quota = { minute: Number(minute), day: Number(day), month: Number(month) };
    }
  }
}

interface Answer {
  success?: boolean;
  data?: unknown;
  error?: string;
}

/** The first list of an object, or else that of an object inside it: `data.servers`, `data.leaderboard.entries`. */
function listIn(data: object): unknown[] | undefined {
  const values = Object.values(data);
  const first = values.find(Array.isArray);
  return first ?? values.filter(isObject).map(listIn).find((list) => list !== undefined);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refusal(response: Response, body: Answer | undefined): RollcallError {
  return new RollcallError(body?.error ?? `unexpected answer with status ${response.status}`, {
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? undefined,
    retryAfter: retryAfterOf(response.headers),
  });
}
