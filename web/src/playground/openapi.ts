// The parts of the OpenAPI document that the playground uses.

export interface Endpoint {
  name: string;
  tag: string;
  /** With parameters in braces: `/servers/{slug}`. */
  path: string;
  summary: string;
  description: string;
  parameters: Parameter[];
}

export interface Parameter {
  name: string;
  in: "path" | "query";
  required: boolean;
  description: string;
  /** A value to show where none is given; required parameters have one. */
  example?: string;
  schema: Schema;
}

interface Schema {
  type: "integer" | "number" | "boolean" | "string";
  enum?: string[];
  default?: string | number;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: Parameter[];
}

export interface Api {
  /** The public base URL of the API. */
  baseUrl: string;
  endpoints: Endpoint[];
}

/** The maximum of unbounded parameters; the form does not mention it. */
const UNBOUNDED = 2 ** 31 - 1;

export async function load(): Promise<Api> {
  const response = await fetch("/openapi.json", { headers: { Accept: "application/json" } });
  if (!response.ok) {
    throw new Error(`The OpenAPI document cannot be loaded (status ${response.status}).`);
  }
  const document = await response.json();
  const paths = Object.entries(document.paths as Record<string, { get: Operation }>);
  const endpoints = paths.map(([path, { get }]) => ({
    name: get.operationId,
    tag: get.tags[0] ?? "",
    path,
    summary: get.summary,
    description: get.description,
    parameters: get.parameters ?? [],
  }));
  return { baseUrl: document.servers[0].url, endpoints };
}

/** The accepted values in words: "whole number, 1 to 100". Empty for choices, which are listed. */
export function kind({ schema }: Parameter): string {
  const name = { integer: "whole number", number: "number", boolean: "", string: schema.enum ? "" : "text" }[schema.type];
  if (schema.maxLength !== undefined) {
    return `${name}, ${schema.minLength} to ${schema.maxLength} characters`;
  }
  if (schema.minimum === undefined) {
    return name;
  }
  return schema.maximum === UNBOUNDED ? `${name}, from ${schema.minimum}` : `${name}, ${schema.minimum} to ${schema.maximum}`;
}
