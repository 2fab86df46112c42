// One call: an endpoint and the values that were given, in the address of the page and in that of the API.
import type { Endpoint } from "./document";

export type Values = Record<string, string>;

export interface Call {
  endpoint: Endpoint;
  values: Values;
}

/** The parameter of the page's address that names the endpoint; no endpoint has a parameter of this name. */
const ENDPOINT = "endpoint";

/** Like encodeURIComponent, and the five marks that it leaves, so that no quote of any language is in an address. */
export function encode(text: string): string {
  return encodeURIComponent(wellFormed(text)).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
}

/** Half a character, which no encoding has, becomes a replacement. */
export function wellFormed(text: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}

/** Below `/v1`, with the values that belong into the path. */
export function path({ endpoint, values }: Call): string {
  return endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encode(values[name] ?? ""));
}

/** The other values that were given, in the order of the document. */
export function query({ endpoint, values }: Call): [string, string][] {
  const given = endpoint.parameters.filter((parameter) => parameter.in === "query" && values[parameter.name]);
  return given.map((parameter) => [parameter.name, values[parameter.name] ?? ""]);
}

/** Path and query below `/v1`. */
export function target(call: Call): string {
  const pairs = query(call).map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return pairs.length === 0 ? path(call) : `${path(call)}?${pairs.join("&")}`;
}

/** Names of what is missing. */
export function missing({ endpoint, values }: Call): string[] {
  const needed = endpoint.parameters.filter((parameter) => parameter.required && !values[parameter.name]);
  return needed.map((parameter) => parameter.name);
}

/** The address of the page that shows this call. */
export function address({ endpoint, values }: Call): string {
  const given = endpoint.parameters.filter((parameter) => values[parameter.name]);
  const pairs = given.map((parameter) => `&${encode(parameter.name)}=${encode(values[parameter.name] ?? "")}`);
  return `/playground?${ENDPOINT}=${encode(endpoint.name)}${pairs.join("")}`;
}

/** The call that an address shows: the first endpoint where it names none that there is. */
export function read(search: string, endpoints: Endpoint[]): Call | undefined {
  const given = new URLSearchParams(search);
  const endpoint = endpoints.find(({ name }) => name === given.get(ENDPOINT)) ?? endpoints[0];
  if (!endpoint) {
    return undefined;
  }
  const values: Values = {};
  for (const { name } of endpoint.parameters) {
    values[name] = given.get(name) ?? "";
  }
  return { endpoint, values };
}
