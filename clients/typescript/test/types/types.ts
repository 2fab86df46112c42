// What the compiler must accept and refuse; nothing of it runs.

import { type components, type Event, type EventOf, type EventType, type Item, type RollcallClient } from "rollcall-client";

declare const rollcall: RollcallClient;

export async function calls(): Promise<void> {
  const { servers } = await rollcall.get("/servers", { query: { sort: "players", limit: 3 } });
  const name: string | undefined = servers[0]?.name;
  const { server } = await rollcall.get("/servers/{slug}", { path: { slug: "aurora-vale" } });
  const players: number = server.currentPlayers;
  const { results } = await rollcall.get("/search", { query: { q: "aurora", type: "servers", limit: 1 } });
  const slugs: string[] = results.servers.map((found) => found.slug);
  const { leaderboard } = await rollcall.get("/leaderboards", { query: { fields: ["rank", "player"] } });
  const ranks: number[] = leaderboard.entries.map((entry) => entry.rank);
  // @ts-expect-error no such field of an entry
  await rollcall.get("/leaderboards", { query: { fields: ["slug"] } });
  // @ts-expect-error a path has values
  await rollcall.get("/servers/{slug}");
  // @ts-expect-error no such path
  await rollcall.get("/server");
  // @ts-expect-error no such order
  await rollcall.get("/servers", { query: { sort: "beauty" } });
  // @ts-expect-error the client reads JSON
  await rollcall.get("/servers/{slug}/history", { path: { slug: "aurora-vale" }, query: { format: "csv" } });
  // @ts-expect-error not a list
  rollcall.items("/live");
  // @ts-expect-error no such field
  console.log(name, players, slugs, ranks, server.beauty);
}

export async function lists(): Promise<void> {
  for await (const voter of rollcall.items("/servers/{slug}/voters", { path: { slug: "aurora-vale" } })) {
    const at: string = voter.votedAt;
    console.log(at);
  }
  for await (const entry of rollcall.items("/leaderboards", { query: { metric: "sessions" } })) {
    const { rank, player }: { rank: number; player: { mainNickname: string } } = entry;
    console.log(rank, player);
  }
  for await (const point of rollcall.items("/live/history", { query: { resolution: "1h" } })) {
    const coverage: number = point.coverage;
    console.log(coverage);
  }
  for await (const compared of rollcall.items("/history", { query: { servers: ["aurora-vale"] } })) {
    console.log(compared.points);
  }
  for await (const event of rollcall.items("/events", { query: { type: ["server.offline"] } })) {
    const typed: Event = event;
    console.log(typed);
  }
  const point: Item<"/servers/{slug}/history"> = { at: "2026-01-31T09:30:00.000Z", coverage: 1 };
  // @ts-expect-error no such metric
  console.log(point, rollcall.items("/leaderboards", { query: { metric: "beauty" } }));
}

export async function forms(): Promise<void> {
  const week = await rollcall.get("/live/history");
  const hour: number | undefined = week.history[0]?.totalPlayers;
  const range = await rollcall.get("/live/history", { query: { resolution: "1h" } });
  const players: number | undefined = range.points[0]?.players?.avg;
  // @ts-expect-error a range has points
  console.log(hour, players, range.history);
}

export async function events(): Promise<void> {
  for await (const event of rollcall.events({ query: { after: "start" } })) {
    if (event.type === "server.offline") {
      const offline: EventOf<"server.offline"> = event;
      const reason: string = event.data.reason;
      // @ts-expect-error the data of another type
      console.log(offline, reason, event.data.players);
    } else if (event.type === "server.peak") {
      const more: number = event.data.players - event.data.previousPlayers;
      console.log(more, event.server?.slug);
    }
    // @ts-expect-error the type is not known here
    console.log(event.data.reason);
    // @ts-expect-error no such type of event
    console.log(event.type === "server.exploded");
  }
}

/** Every type has its own data, and no data is left. */
type TypesWithoutData = { [T in EventType]: [EventOf<T>["data"]] extends [never] ? T : never }[EventType];
export const typesWithoutData: [TypesWithoutData] extends [never] ? true : TypesWithoutData = true;
export const data = (one: components["schemas"]["EventData"]): Event["data"] => one;
