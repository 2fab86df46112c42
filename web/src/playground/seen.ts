// Names that were seen in answers, to be suggested where a path needs one.
import type { Endpoint } from "./document";

const MOST = 100;
const NAMES = ["slug", "gameUuid"];
const seen = new Map<string, Set<string>>();

/** `servers` of `/servers/{slug}/voters` */
function subject({ path }: Endpoint): string {
  return path.split("/")[1] ?? "";
}

export function suggestions(endpoint: Endpoint): string[] {
  return [...(seen.get(subject(endpoint)) ?? [])];
}

/** Looks through the lists of an answer. */
export function noticed(endpoint: Endpoint, text: string): void {
  const names = seen.get(subject(endpoint)) ?? new Set<string>();
  let data: unknown;
  try {
    data = JSON.parse(text).data;
  } catch {
    return;
  }
  for (const items of Object.values((data ?? {}) as Record<string, unknown>)) {
    for (const item of Array.isArray(items) ? items : []) {
      const name = NAMES.map((known) => item?.[known]).find((found) => typeof found === "string");
      if (name && names.size < MOST) {
        names.add(name);
      }
    }
  }
  seen.set(subject(endpoint), names);
}
