// Runs a call with a playground pass, and gets a new pass when needed.
import type { Captcha } from "../captcha/main";
import { type Call, target } from "./call";

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

const UNREACHABLE = "The server cannot be reached. Check your connection and try again.";
const INVALID_PASS = 401;

let currentPass: string | undefined;

export async function run(call: Call, captcha: Captcha): Promise<RunResult> {
  const oldPass = currentPass;
  const result = await send(call, oldPass ?? (await newPass(captcha)));
  // An old pass may be used up or expired: retry once with a new one.
  return result.status === INVALID_PASS && oldPass ? send(call, await newPass(captcha)) : result;
}

async function send(call: Call, pass: string): Promise<RunResult> {
  const url = `/playground/v1${target(call)}`;
  const started = performance.now();
  const headers = { Accept: "application/json", "X-Playground-Pass": pass };
  const response = await tryFetch(url, { headers, cache: "no-store" });
  const text = await response.text().catch(() => {
    throw new RunError(UNREACHABLE);
  });
  const milliseconds = performance.now() - started;
  const timing = performance.getEntriesByName(new URL(url, location.href).href).at(-1) as PerformanceResourceTiming | undefined;
  performance.clearResourceTimings();
  if (response.status === INVALID_PASS) {
    currentPass = undefined;
  }
  return { status: response.status, headers: [...response.headers], text, milliseconds, packed: timing?.encodedBodySize ?? 0 };
}

async function newPass(captcha: Captcha): Promise<string> {
  const solution = await captcha.solve().catch((error: Error) => {
    throw new RunError(error.message);
  });
  const response = await tryFetch("/playground/pass", {
    method: "POST",
    headers: { Accept: "application/json", "Content-Type": "application/json" },
    body: JSON.stringify({ solution }),
  });
  const body = await response.json().catch(() => null);
  if (!response.ok || !body?.data?.pass) {
    throw new RunError(body?.error ? `${body.error}.` : UNREACHABLE);
  }
  const pass: string = body.data.pass;
  currentPass = pass;
  return pass;
}

async function tryFetch(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options);
  } catch {
    throw new RunError(UNREACHABLE);
  }
}
