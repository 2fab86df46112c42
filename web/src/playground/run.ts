// Runs a call with a pass, and sees to it that there is one.
import type { Human } from "../human/main";
import { type Call, target } from "./call";

export interface Ran {
  status: number;
  headers: [string, string][];
  text: string;
  milliseconds: number;
  /** As it came over the wire, if the browser says. */
  packed: number;
}

/** Something that is no answer; the message is for people. */
export class Trouble extends Error {}

const UNREACHABLE = "The server cannot be reached. Are you online? Try again in a moment.";
const NO_PASS = 401;

let kept: string | undefined;

export async function run(call: Call, human: Human): Promise<Ran> {
  const known = kept;
  const ran = await once(call, known ?? (await newPass(human)));
  // A pass that was used up or has expired is renewed without a word; a new one is believed.
  return ran.status === NO_PASS && known ? once(call, await newPass(human)) : ran;
}

async function once(call: Call, pass: string): Promise<Ran> {
  const url = `/playground/v1${target(call)}`;
  const started = performance.now();
  const response = await reach(url, { headers: { "X-Playground-Pass": pass }, cache: "no-store" });
  const text = await response.text().catch(() => {
    throw new Trouble(UNREACHABLE);
  });
  const milliseconds = performance.now() - started;
  const timing = performance.getEntriesByName(new URL(url, location.href).href).at(-1) as PerformanceResourceTiming | undefined;
  performance.clearResourceTimings();
  if (response.status === NO_PASS) {
    kept = undefined;
  }
  return { status: response.status, headers: [...response.headers], text, milliseconds, packed: timing?.encodedBodySize ?? 0 };
}

async function newPass(human: Human): Promise<string> {
  const solution = await human.solve().catch((error: Error) => {
    throw new Trouble(error.message);
  });
  const response = await reach("/playground/pass", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ solution }),
  });
  const answer = await response.json().catch(() => null);
  if (!response.ok || !answer?.data?.pass) {
    throw new Trouble(`${answer?.error ?? UNREACHABLE}.`);
  }
  const pass: string = answer.data.pass;
  kept = pass;
  return pass;
}

async function reach(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options);
  } catch {
    throw new Trouble(UNREACHABLE);
  }
}
