// An API call: an endpoint and its parameter values, encoded in the URL of the page and of the API.
import type { Endpoint } from "./openapi";

export type Values = Record<string, string>;

export interface Call {
  endpoint: Endpoint;
  values: Values;
}

/** The page parameter that names the endpoint. No endpoint has a parameter of this name. */
const ENDPOINT = "endpoint";

/** Like encodeURIComponent, but also encodes !'()*, so that a URL contains no quote of any language. */
export function encode(text: string): string {
  return encodeURIComponent(wellFormed(text)).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
}

/** Replaces lone surrogates, which UTF-8 cannot encode. */
export function wellFormed(text: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}

/** The path below `/v1` with its parameters filled in. */
export function path({ endpoint, values }: Call): string {
  return endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encode(values[name] ?? ""));
}

/** The query parameters that have a value, in the order of the OpenAPI document. */
export function query({ endpoint, values }: Call): [string, string][] {
  const given = endpoint.parameters.filter((parameter) => parameter.in === "query" && values[parameter.name]);
  return given.map((parameter) => [parameter.name, values[parameter.name] ?? ""]);
}

/** Path and query below `/v1`. */
export function target(call: Call): string {
  const pairs = query(call).map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return pairs.length === 0 ? path(call) : `${path(call)}?${pairs.join("&")}`;
}

/** Names of required parameters without a value. */
export function missing({ endpoint, values }: Call): string[] {
  const required = endpoint.parameters.filter((parameter) => parameter.required && !values[parameter.name]);
  return required.map((parameter) => parameter.name);
}

/** The call with a value for each required parameter: a known one for the path, else the example of the document. */
export function withExamples(call: Call, known: string[]): Call {
  const values = { ...call.values };
  for (const { name, in: place, required, example } of call.endpoint.parameters) {
    if (required && !values[name]) {
      values[name] = (place === "path" ? known[0] : undefined) ?? example ?? name;
    }
  }
  return { ...call, values };
}

/** The URL of the playground page for this call. */
export function pageUrl({ endpoint, values }: Call): string {
  const given = endpoint.parameters.filter((parameter) => values[parameter.name]);
  const pairs = given.map((parameter) => `&${encode(parameter.name)}=${encode(values[parameter.name] ?? "")}`);
  return `/playground?${ENDPOINT}=${encode(endpoint.name)}${pairs.join("")}`;
}

/** The call in a page URL; the first endpoint if it names none or an unknown one. */
export function parse(search: string, endpoints: Endpoint[]): Call | undefined {
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
