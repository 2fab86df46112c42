// An API call: an endpoint and its parameter values, encoded in the URL of the page and of the API.

export type Values = Record<string, string>;

export interface Parameter {
  name: string;
  in: "path" | "query";
  required: boolean;
}

export interface Endpoint {
  name: string;
  /** With the parameter in braces: `/servers/{slug}`. */
  path: string;
  parameters: Parameter[];
  /** Whether it can be called with the reader's own key only. */
  needsKey: boolean;
  /** Whether the response is a stream of events, which never ends. */
  isStream: boolean;
}

export interface Call {
  endpoint: Endpoint;
  values: Values;
}

/** Like encodeURIComponent, but also encodes !'()*, so that a URL contains no quote of any language. */
export function encode(text: string): string {
  return encodeURIComponent(wellFormed(text)).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Replaces lone surrogates, which UTF-8 cannot encode. */
export function wellFormed(text: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(new TextEncoder().encode(text));
}

/** The path below `/v1` with its parameters filled in. */
export function path({ endpoint, values }: Call): string {
  return endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encode(values[name] ?? ""));
}

/** The query parameters that have a value, in the order of the form. */
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

/** The URL of the playground page for this call. */
export function pageUrl({ endpoint, values }: Call): string {
  const given = endpoint.parameters.filter((parameter) => values[parameter.name]);
  const pairs = given.map((parameter) => `&${encode(parameter.name)}=${encode(values[parameter.name] ?? "")}`);
  return `/playground?endpoint=${encode(endpoint.name)}${pairs.join("")}`;
}
