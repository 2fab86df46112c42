// The proof of work: ALTCHA's own worker looks for the solution, several of them at once.

interface Solution {
  counter: number;
  derivedKey: string;
}

const MOST_WORKERS = 4;
const PATIENCE = 90_000;
const INSECURE = "The check needs a secure connection: open this page by https.";
const UNSOLVED = "Your browser could not solve the check. Please try again.";
const UNREACHABLE = "The server cannot be reached. Are you online?";

/** What the server wants to see: the challenge and its solution. */
export async function prove(purpose: string, worker: string): Promise<string> {
  // Browsers hide what the worker needs from pages that came by plain http.
  if (!isSecureContext) {
    throw new Error(INSECURE);
  }
  const challenge = await ask(purpose);
  return JSON.stringify({ challenge, solution: await solve(challenge, worker) });
}

async function ask(purpose: string): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(`/human/challenge?for=${encodeURIComponent(purpose)}`, { cache: "no-store" });
  } catch {
    throw new Error(UNREACHABLE);
  }
  const answer = await response.json().catch(() => null);
  if (!response.ok || !answer?.success) {
    throw new Error(`${answer?.error ?? UNREACHABLE}.`);
  }
  return answer.data;
}

async function solve(challenge: unknown, script: string): Promise<Solution> {
  const count = Math.min(navigator.hardwareConcurrency || 2, MOST_WORKERS);
  const workers = Array.from({ length: count }, () => new Worker(script));
  try {
    // Each takes every so-many-th number.
    return await Promise.any(workers.map((worker, start) => work(worker, challenge, start, count)));
  } catch {
    throw new Error(UNSOLVED);
  } finally {
    workers.forEach((worker) => worker.terminate());
  }
}

function work(worker: Worker, challenge: unknown, counterStart: number, counterStep: number): Promise<Solution> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => (data?.derivedKey ? resolve(data) : reject(data));
    worker.onerror = reject;
    worker.postMessage({ type: "work", challenge, counterStart, counterStep, timeout: PATIENCE });
  });
}
