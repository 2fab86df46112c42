// What the types of the API document say about each path.

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
export type Data<P extends Path> = Json<P> extends { data: infer D } ? Whole<D> : never;

/** The forms of a page whose items have keys for sure. */
type Whole<D> = D extends unknown ? (D[keyof D] extends infer V ? (PartialItems<V> extends never ? D : never) : never) : never;
type PartialItems<V> = V extends readonly (infer I)[] ? (I extends object ? (Record<never, never> extends I ? I : never) : never) : never;

/** Paths whose lists are read with `after`. */
export type ListPath = {
  [P in Path]: "after" extends keyof QueryValues<P> ? (ItemsKey<P> extends never ? never : P) : never;
}[Path];

/** The key of `data` that holds the items. */
export type ItemsKey<P extends Path> = {
  [K in keyof Data<P>]-?: Data<P>[K] extends readonly unknown[] ? K : never;
}[keyof Data<P>];

/** One item of a list. */
export type Item<P extends Path> = Data<P>[ItemsKey<P>] extends readonly (infer I)[] ? I : never;
