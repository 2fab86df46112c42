import { RollcallError } from "./error.js";
import type { Data, Item, ListPath, Path, PathValues, QueryValues } from "./paths.js";
import { type RetryOptions, retryAfterOf, sleep, waitBefore } from "./retry.js";

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

/** What is left of the quota. */
export interface Quota {
  minute: number;
  day: number;
  month: number;
}

type Arguments<P extends Path> = keyof PathValues<P> extends never ? [options?: RequestOptions<P>] : [options: RequestOptions<P>];

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

  /** All items of a list, page by page. None is skipped or repeated while the list changes. */
  async *items<P extends ListPath>(path: P, ...[options]: Arguments<P>): AsyncGenerator<Item<P>, void, undefined> {
    let after: string | null | undefined = "start";
    while (typeof after === "string") {
      const query = { limit: 100, ...options?.query, after };
      const data = (await this.get(path, ...([{ ...options, query }] as unknown as Arguments<P>))) as Record<string, unknown>;
      const page = Object.values(data).find(Array.isArray) as Item<P>[];
      yield* page;
      // A list that grows at its end, such as the events, always has a next page.
      after = page.length > 0 ? (data.next as string | null | undefined) : undefined;
    }
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
    let response: Response;
    let body: { success?: boolean; data?: Data<P>; error?: string } | undefined;
    try {
      response = await this.#fetch(url, {
        headers: { "X-API-Key": this.#apiKey, Accept: "application/json" },
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      // A proxy may answer with a page.
      body = response.headers.get("content-type")?.includes("json") ? await response.json() : undefined;
    } catch (cause) {
      if (signal?.aborted) {
        throw signal.reason;
      }
      throw new RollcallError(`no answer from ${this.#baseUrl}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
    this.#remember(response.headers);
    if (response.ok && body?.success === true && body.data !== undefined) {
      return body.data;
    }
    throw new RollcallError(body?.error ?? `unexpected answer with status ${response.status}`, {
      status: response.status,
      requestId: response.headers.get("x-request-id") ?? undefined,
      retryAfter: retryAfterOf(response.headers),
    });
  }

  #remember(headers: Headers): void {
    const [minute, day, month] = ["minute", "day", "month"].map((window) => headers.get(`x-ratelimit-remaining-${window}`));
    if (minute && day && month) {
      this.#quota = { minute: Number(minute), day: Number(day), month: Number(month) };
    }
  }
}
