// Messages that are signed after the Standard Webhooks specification: https://www.standardwebhooks.com

/** Seconds by which the clocks of sender and receiver may differ, and which a message may be on its way. */
export const TOLERANCE = 5 * 60;

/** A message that must not be trusted. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/** The headers of a request, as `fetch` or Node.js gives them. */
export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>;

/**
 * The JSON of a message, if the signature and the time are right; throws a `WebhookError` otherwise. `body` must be the bytes as they
 * came, not JSON that was written again. The id of a message (`webhook-id`) stays the same when it is sent again: process each id once.
 */
export async function verifyWebhook<T = unknown>(
  secret: string,
  headers: WebhookHeaders,
  body: string | Uint8Array,
  now: Date = new Date(),
): Promise<T> {
  const [id, sentAt, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => header(headers, name));
  if (!id || !sentAt || !signatures || !/^\d{1,15}$/.test(sentAt)) {
    throw new WebhookError("webhook-id, webhook-timestamp (seconds) and webhook-signature must be given");
  }
  const [key, signed] = await Promise.all([keyOf(secret), signedBytes(id, sentAt, body)]);
  if (Math.abs(Math.floor(now.getTime() / 1000) - Number(sentAt)) > TOLERANCE) {
    throw new WebhookError("the message is more than five minutes old or too new");
  }
  for (const signature of signatures.split(" ")) {
    const given = signature.startsWith("v1,") ? bytesOf(signature.slice(3)) : undefined;
    // Takes the same time wherever they differ.
    if (given && (await crypto.subtle.verify("HMAC", key, given, signed))) {
      return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as T;
    }
  }
  throw new WebhookError("no signature is that of the secret");
}

/** The signature of a message, for tests of your receiver. */
export async function signWebhook(secret: string, id: string, sentAt: Date, body: string | Uint8Array): Promise<string> {
  const signed = signedBytes(id, String(Math.floor(sentAt.getTime() / 1000)), body);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", await keyOf(secret), signed));
  return `v1,${btoa(String.fromCharCode(...signature))}`;
}

function header(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) {
    return headers.get(name) ?? undefined;
  }
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === "string" ? value : undefined;
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ""));
  if (!bytes?.length) {
    throw new WebhookError("the secret must be whsec_ and Base64");
  }
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

function signedBytes(id: string, sentAt: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const start = new TextEncoder().encode(`${id}.${sentAt}.`);
  const end = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const bytes = new Uint8Array(start.length + end.length);
  bytes.set(start);
  bytes.set(end, start.length);
  return bytes;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
