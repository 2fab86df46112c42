export { RollcallClient, type ClientOptions, type Quota, type RequestOptions } from "./client.js";
export { RollcallError } from "./error.js";
export type { Data, Item, ListPath, Path, PathValues, QueryValues } from "./paths.js";
export type { components } from "./schema.js";
