// When a request is sent again, and how long to wait before.

/** Limits used up, and failures that pass. */
const RETRIED = new Set([429, 500, 502, 503, 504]);
const FIRST_WAIT_S = 0.5;
const LONGEST_WAIT_WITHOUT_ADVICE_S = 30;

export interface RetryOptions {
  /** How often a request is sent again. Default: 4. */
  retries: number;
  /** The longest wait that is accepted, in seconds: a used-up limit of the day would mean hours. Default: 120. */
  maxWait: number;
}

/** Whether it is a limit used up, or a failure that passes. `status` is 0 without an answer. */
export function passes(status: number): boolean {
  return status === 0 || RETRIED.has(status);
}

/** Seconds to wait before the attempt with this number (from 1), or `undefined` to give up. */
export function waitBefore(attempt: number, status: number, retryAfter: number | undefined, options: RetryOptions): number | undefined {
  if (attempt > options.retries || !passes(status)) {
    return undefined;
  }
  // Some randomness: clients that failed together should not come back together.
  const backOff = Math.min(FIRST_WAIT_S * 2 ** (attempt - 1), LONGEST_WAIT_WITHOUT_ADVICE_S) * (0.5 + Math.random() / 2);
  const wait = retryAfter ?? backOff;
  return wait <= options.maxWait ? wait : undefined;
}

/** Resolves after some seconds; rejects when the signal aborts. */
export function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, seconds * 1000);
    if (signal?.aborted) {
      abort();
    } else {
      signal?.addEventListener("abort", abort, { once: true });
    }
  });
}

/** The seconds of a `Retry-After` header. */
export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get("retry-after");
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}
