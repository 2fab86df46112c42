// Answers by history entry, so that Back, Forward and reload keep them: in the entry itself, which browsers limit in size, and
// in memory.
import type { RunResult } from "./run";

const MAX_IN_ENTRY = 300_000;
const MAX_IN_MEMORY = 20;

interface Entry {
  id: string;
  answer?: RunResult;
}

const inMemory = new Map<string, RunResult>();

function entry(): Entry | undefined {
  return (history.state as { playground?: Entry } | null)?.playground;
}

/** Whether the current history entry has an answer. */
export function hasAnswer(): boolean {
  return answer() !== undefined;
}

export function answer(): RunResult | undefined {
  const current = entry();
  return current && (inMemory.get(current.id) ?? current.answer);
}

/** Keeps the answer of the current entry. */
export function keep(result: RunResult): void {
  const id = entry()?.id ?? crypto.getRandomValues(new Uint32Array(2)).join("-");
  inMemory.delete(id);
  inMemory.set(id, result);
  const oldest = inMemory.keys().next().value;
  if (inMemory.size > MAX_IN_MEMORY && oldest !== undefined) {
    inMemory.delete(oldest);
  }
  const kept: Entry = result.text.length <= MAX_IN_ENTRY ? { id, answer: result } : { id };
  history.replaceState({ playground: kept }, "");
}

/** Removes the answer of the current entry. */
export function forget(): void {
  history.replaceState(null, "");
}

/** Goes to the URL. An entry with an answer is kept for Back; one without is replaced. */
export function moveTo(url: string): void {
  if (new URL(url, location.href).href === location.href) {
    return;
  }
  hasAnswer() ? history.pushState(null, "", url) : history.replaceState(null, "", url);
}
