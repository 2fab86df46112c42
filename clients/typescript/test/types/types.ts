// What the compiler must accept and refuse; nothing of it runs.

import { type Event, type Item, RollcallClient } from "rollcall-client";

declare const rollcall: RollcallClient;

export async function calls(): Promise<void> {
  const { servers } = await rollcall.get("/servers", { query: { sort: "players", limit: 3 } });
  const name: string | undefined = servers[0]?.name;
  const { server } = await rollcall.get("/servers/{slug}", { path: { slug: "aurora-vale" } });
  const players: number = server.currentPlayers;
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
  console.log(name, players, server.beauty);
}

export async function lists(): Promise<void> {
  for await (const voter of rollcall.items("/servers/{slug}/voters", { path: { slug: "aurora-vale" } })) {
    const at: string = voter.votedAt;
    console.log(at);
  }
  const point: Item<"/servers/{slug}/history"> = { at: "2026-01-31T09:30:00.000Z", coverage: 1 };
  for await (const event of rollcall.events({ query: { after: "start" } })) {
    const typed: Event = event;
    console.log(point, typed.server?.slug);
    // @ts-expect-error no such type of event
    console.log(event.type === "server.exploded");
  }
}
