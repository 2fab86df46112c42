/** An answer that is not a success, or a request that got none. */
export class RollcallError extends Error {
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** Name it when you report a problem; the log of the service has it, too. */
  readonly requestId: string | undefined;
  /** Seconds after which the request can succeed. */
  readonly retryAfter: number | undefined;

  constructor(message: string, details: { status?: number; requestId?: string | undefined; retryAfter?: number | undefined; cause?: unknown }) {
    super(message, { cause: details.cause });
    this.name = "RollcallError";
    this.status = details.status ?? 0;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}
