// Runs a call: with the reader's key directly, else with a playground pass, which is renewed when needed.
import type { Captcha } from "../captcha/main";
import { type Call, target } from "./call";
import { text as texts } from "./translations";

export interface RunResult {
  status: number;
  headers: [string, string][];
  text: string;
  milliseconds: number;
  /** Compressed size in bytes; 0 if the browser does not report it. */
  packed: number;
}

/** The call got no response; the message is for the user. */
export class RunError extends Error {}

const INVALID_PASS = 401;
/** How long a call waits for the script of the CAPTCHA. */
const CAPTCHA_WAIT_MS = 10_000;

let currentPass: string | undefined;

/** `key` is the reader's own API key, or empty. */
export async function run(call: Call, key: string): Promise<RunResult> {
  if (key) {
    return read(await open(call, key));
  }
  const oldPass = currentPass;
  const result = await sendWithPass(call, oldPass ?? (await newPass()));
  // An old pass may be used up or expired: retry once with a new one.
  return result.status === INVALID_PASS && oldPass ? sendWithPass(call, await newPass()) : result;
}

async function sendWithPass(call: Call, pass: string): Promise<RunResult> {
  const result = await read(await send(`/playground/v1${target(call)}`, { "X-Playground-Pass": pass }));
  if (result.status === INVALID_PASS) {
    currentPass = undefined;
  }
  return result;
}

/** A response whose body is not read yet. */
interface Opened {
  url: string;
  started: number;
  response: Response;
}

/** Calls the API itself with the reader's own key. */
export function open(call: Call, key: string, signal?: AbortSignal): Promise<Opened> {
  return send(`/v1${target(call)}`, { "X-API-Key": key }, signal);
}

async function send(url: string, credentials: Record<string, string>, signal?: AbortSignal): Promise<Opened> {
  const started = performance.now();
  const options: RequestInit = { headers: { Accept: "application/json", ...credentials }, cache: "no-store", signal: signal ?? null };
  return { url, started, response: await tryFetch(url, options) };
}

/** Reads the whole body. */
export async function read({ url, started, response }: Opened): Promise<RunResult> {
  const text = await response.text().catch(() => {
    throw new RunError(texts.unreachable);
  });
  const milliseconds = performance.now() - started;
  const timing = performance.getEntriesByName(new URL(url, location.href).href).at(-1) as PerformanceResourceTiming | undefined;
  performance.clearResourceTimings();
  return { status: response.status, headers: [...response.headers], text, milliseconds, packed: timing?.encodedBodySize ?? 0 };
}

/** The CAPTCHA, whose script loads after the one of this page. */
async function captcha(): Promise<Captcha> {
  const late = new Promise((_, reject) => setTimeout(reject, CAPTCHA_WAIT_MS));
  await Promise.race([customElements.whenDefined("rc-human"), late]).catch(() => {
    throw new RunError(texts.captchaMissing);
  });
  return document.querySelector("rc-human") as Captcha;
}

async function newPass(): Promise<string> {
  const human = await captcha();
  const solution = await human.solve().catch((error: Error) => {
    throw new RunError(error.message);
  });
  const response = await tryFetch("/playground/pass", {
    method: "POST",
    headers: { Accept: "application/json", "Content-Type": "application/json" },
    body: JSON.stringify({ solution }),
  });
  const body = await response.json().catch(() => null);
  if (!response.ok || !body?.data?.pass) {
    throw new RunError(body?.error ? `${body.error}.` : texts.unreachable);
  }
  const pass: string = body.data.pass;
  currentPass = pass;
  return pass;
}

async function tryFetch(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options);
  } catch {
    throw new RunError(texts.unreachable);
  }
}
