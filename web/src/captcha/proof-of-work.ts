// The proof of work: several ALTCHA web workers search for the solution in parallel.
import { text } from "./translations";

interface Solution {
  counter: number;
  derivedKey: string;
}

const MAX_WORKERS = 4;
const TIMEOUT_MS = 90_000;

/** Returns the challenge and its solution as JSON. */
export async function solveProofOfWork(purpose: string, worker: string): Promise<string> {
  // The worker needs Web Crypto, which browsers only offer over https.
  if (!isSecureContext) {
    throw new Error(text.insecure);
  }
  const challenge = await fetchChallenge(purpose);
  return JSON.stringify({ challenge, solution: await solve(challenge, worker) });
}

async function fetchChallenge(purpose: string): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(`/human/challenge?for=${encodeURIComponent(purpose)}`, {
      headers: { Accept: "application/json" },
      cache: "no-store",
    });
  } catch {
    throw new Error(text.unreachable);
  }
  const body = await response.json().catch(() => null);
  if (!response.ok || !body?.success) {
    throw new Error(body?.error ? `${body.error}.` : text.unreachable);
  }
  return body.data;
}

async function solve(challenge: unknown, script: string): Promise<Solution> {
  const count = Math.min(navigator.hardwareConcurrency || 2, MAX_WORKERS);
  const workers = Array.from({ length: count }, () => new Worker(script));
  try {
    // Worker i tries the numbers i, i + count, i + 2·count, …
    return await Promise.any(workers.map((worker, start) => work(worker, challenge, start, count)));
  } catch {
    throw new Error(text.unsolved);
  } finally {
    workers.forEach((worker) => worker.terminate());
  }
}

function work(worker: Worker, challenge: unknown, counterStart: number, counterStep: number): Promise<Solution> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => (data?.derivedKey ? resolve(data) : reject(data));
    worker.onerror = reject;
    worker.postMessage({ type: "work", challenge, counterStart, counterStep, timeout: TIMEOUT_MS });
  });
}
