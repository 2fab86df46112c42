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
export type QueryValues<P extends Path> = Parameters<P> extends { query?: infer Q } ? Omit<Partial<NonNullable<Q>>, "format"> : Record<never, never>;

/** The `data` of a response. */
export type Data<P extends Path> = Json<P> extends { data: infer D } ? D : never;

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
