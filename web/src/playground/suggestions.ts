// Suggests slugs and UUIDs from earlier responses for path parameters.
import type { Endpoint } from "./openapi";

const MAX_SUGGESTIONS = 100;
const ID_FIELDS = ["slug", "gameUuid"];
const known = new Map<string, Set<string>>();

/** `servers` of `/servers/{slug}/voters` */
function resource({ path }: Endpoint): string {
  return path.split("/")[1] ?? "";
}

export function suggestions(endpoint: Endpoint): string[] {
  return [...(known.get(resource(endpoint)) ?? [])];
}

/** Remembers the ids in the lists of a response. */
export function remember(endpoint: Endpoint, text: string): void {
  const names = known.get(resource(endpoint)) ?? new Set<string>();
  let data: unknown;
  try {
    data = JSON.parse(text).data;
  } catch {
    return;
  }
  for (const items of Object.values((data ?? {}) as Record<string, unknown>)) {
    for (const item of Array.isArray(items) ? items : []) {
      const name = ID_FIELDS.map((field) => item?.[field]).find((found) => typeof found === "string");
      if (name && names.size < MAX_SUGGESTIONS) {
        names.add(name);
      }
    }
  }
  known.set(resource(endpoint), names);
}
