export { RollcallClient, type ClientOptions, type EventsOptions, type Quota, type RequestOptions } from "./client.js";
export { RollcallError } from "./error.js";
export type { Event, EventOf, EventType } from "./events.js";
export type { Data, Item, ListPath, Path, PathValues, QueryValues } from "./paths.js";
export type { components } from "./schema.js";
export { signWebhook, TOLERANCE, verifyWebhook, WebhookError, type WebhookHeaders } from "./webhook.js";
