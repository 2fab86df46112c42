// The API's own document, as far as the playground needs it.

export interface Endpoint {
  name: string;
  tag: string;
  /** With its parameter in braces: `/servers/{slug}`. */
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

export interface Document {
  /** Where the API is, as clients see it. */
  base: string;
  endpoints: Endpoint[];
}

/** The largest whole number that any parameter takes: no bound that a reader need know. */
const LARGEST = 2 ** 31 - 1;

export async function load(): Promise<Document> {
  const response = await fetch("/openapi.json");
  if (!response.ok) {
    throw new Error(`The API's document cannot be read (status ${response.status}).`);
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
  return { base: document.servers[0].url, endpoints };
}

/** What a parameter takes, in words: "whole number, 1 to 100". Choices speak for themselves. */
export function kind({ schema }: Parameter): string {
  const name = { integer: "whole number", number: "number", boolean: "", string: schema.enum ? "" : "text" }[schema.type];
  if (schema.maxLength !== undefined) {
    return `${name}, ${schema.minLength} to ${schema.maxLength} characters`;
  }
  if (schema.minimum === undefined) {
    return name;
  }
  return schema.maximum === LARGEST ? `${name}, from ${schema.minimum}` : `${name}, ${schema.minimum} to ${schema.maximum}`;
}
