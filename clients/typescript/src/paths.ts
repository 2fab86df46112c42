// What the types of the API document say about each path.

import type { Event } from "./events.js";
import type { paths } from "./schema.js";

/** A path of the API, such as `/servers/{slug}`. */
export type Path = keyof paths;

type Get<P extends Path> = paths[P] extends { get: infer G } ? G : never;
type Parameters<P extends Path> = Get<P> extends { parameters: infer A } ? A : never;
type Json<P extends Path> = Get<P> extends { responses: { 200: { content: { "application/json": infer J } } } } ? J : never;

/** The values of the segments in braces. */
export type PathValues<P extends Path> = Parameters<P> extends { path: infer V } ? V : Record<never, never>;

/** The query parameters, without `format`: the client reads JSON. */
export type QueryValues<P extends Path> = Parameters<P> extends { query?: infer Q } ? JsonQuery<NonNullable<Q>> : Record<never, never>;
type JsonQuery<Q> = [Q] extends [never] ? Record<never, never> : Omit<Partial<Q>, "format">;

/** The `data` of a response: of a page, with all keys of its items. `fields` and `after` leave out some. */
export type Data<P extends Path> = Json<P> extends { data: infer D } ? TypedEvents<Whole<D>> : never;

/** The forms of a page whose items have keys for sure; its lists are in `data`, or in objects in it. */
type Whole<D> = D extends unknown ? (D[keyof D] extends infer V ? (PartialItems<V> extends never ? D : never) : never) : never;
type PartialItems<V> = V extends readonly (infer I)[]
  ? (I extends object ? (Record<never, never> extends I ? I : never) : never)
  : (V extends object ? PartialItems<V[keyof V]> : never);

/** Events whose data depends on their type. */
type TypedEvents<D> = D extends { events: unknown } ? Omit<D, "events"> & { events: Event[] } : D;

/** Paths whose lists are read with `after`. */
export type ListPath = {
  [P in Path]: "after" extends keyof QueryValues<P> ? ([Item<P>] extends [never] ? never : P) : never;
}[Path];

/** One item of a list: of `data`, or of an object in it, such as `leaderboard`. */
export type Item<P extends Path> = [ItemIn<ListData<P>>] extends [never] ? ItemIn<ValueIn<ListData<P>>> : ItemIn<ListData<P>>;

/** `data` of a call with `after`: if parameters select another form, the one with a cursor. */
type ListData<P extends Path> = [Extract<Data<P>, WithCursor>] extends [never] ? Data<P> : Extract<Data<P>, WithCursor>;
type WithCursor = { next: string | null };
type ItemIn<D> = ValueIn<D> extends infer V ? (V extends readonly (infer I extends object)[] ? I : never) : never;
type ValueIn<D> = D extends object ? { [K in keyof D]-?: D[K] }[keyof D] : never;
