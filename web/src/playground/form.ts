// The form of an endpoint: one field per parameter, with a description of the accepted values.
import type { Call, Values } from "./call";
import { type Endpoint, type Parameter, kind } from "./openapi";
import { element, withCode } from "./dom";

/** A form with more fields than this shows only the first few and collapses the rest. */
const MAX_VISIBLE = 7;
const VISIBLE_WHEN_COLLAPSED = 4;

/** The fields with the values of the call. `suggest` lists values for path parameters. */
export function fields(call: Call, suggest: string[]): HTMLElement[] {
  const all = call.endpoint.parameters;
  if (all.length === 0) {
    return [element("p", { class: "soft" }, "This endpoint has no parameters.")];
  }
  const given = (parameter: Parameter) => call.values[parameter.name] ?? "";
  const grid = (list: Parameter[]) =>
    element("div", { class: "fields" }, ...list.map((parameter) => field(parameter, given(parameter), suggest)));
  if (all.length <= MAX_VISIBLE) {
    return [grid(all)];
  }
  const rest = all.slice(VISIBLE_WHEN_COLLAPSED);
  const more = element("summary", {}, `${rest.length} more parameters`);
  return [grid(all.slice(0, VISIBLE_WHEN_COLLAPSED)), element("details", { class: "more", open: rest.some(given) }, more, grid(rest))];
}

/** The current values of the fields. */
export function values(form: HTMLFormElement, endpoint: Endpoint): Values {
  const given = new FormData(form);
  return Object.fromEntries(endpoint.parameters.map(({ name }) => [name, String(given.get(name) ?? "")]));
}

/** Marks required fields without a value and focuses the first. */
export function markMissing(form: HTMLFormElement, missing: string[]): void {
  for (const input of form.querySelectorAll<HTMLInputElement>("[name]")) {
    const isMissing = missing.includes(input.name);
    input.setAttribute("aria-invalid", String(isMissing));
    const note = form.querySelector<HTMLElement>(`#missing-${input.name}`);
    if (note) {
      note.hidden = !isMissing;
    }
  }
  form.querySelector<HTMLInputElement>('[aria-invalid="true"]')?.focus();
}

function field(parameter: Parameter, value: string, suggest: string[]): HTMLElement {
  const { name, required, description } = parameter;
  const id = `field-${name}`;
  const marks = required ? [" ", element("span", { class: "pill warn" }, "required")] : [];
  const notes = [element("span", { id: `about-${name}`, class: "soft small" }, ...withCode(description))];
  if (required) {
    const missing = element("span", { id: `missing-${name}`, class: "down small" }, `Enter a ${name}.`);
    missing.hidden = true;
    notes.push(missing);
  }
  return element(
    "div",
    { class: "field" },
    element(
      "div",
      { class: "head" },
      element("label", { for: id }, element("code", {}, name), ...marks),
      element("span", { id: `kind-${name}`, class: "soft small" }, kind(parameter)),
    ),
    ...input(parameter, id, value, suggest),
    ...notes,
  );
}

function input({ name, in: place, required, schema }: Parameter, id: string, value: string, suggest: string[]): HTMLElement[] {
  const about = `about-${name} kind-${name}${required ? ` missing-${name}` : ""}`;
  const attributes = { id, name, "aria-describedby": about };
  const choices = schema.type === "boolean" ? ["true", "false"] : schema.enum;
  if (choices) {
    const none = schema.default === undefined ? "not set" : `default: ${schema.default}`;
    // A shared URL may contain a value that the API rejects; show it anyway.
    const all = value === "" || choices.includes(value) ? choices : [...choices, value];
    const options = all.map((choice) => element("option", { value: choice, selected: choice === value }, choice));
    return [element("select", attributes, element("option", { value: "" }, none), ...options)];
  }
  const numeric = { integer: "numeric", number: "decimal", boolean: undefined, string: undefined }[schema.type];
  const list = place === "path" && suggest.length > 0 ? `seen-${name}` : undefined;
  const field = element("input", {
    ...attributes,
    // Not type="number", which would hide invalid input.
    type: "text",
    inputmode: numeric,
    list,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-required": required ? "true" : undefined,
    placeholder: schema.default === undefined ? undefined : `default: ${schema.default}`,
  });
  field.value = value;
  const datalist = list ? [element("datalist", { id: list }, ...suggest.map((name) => element("option", { value: name })))] : [];
  return [field, ...datalist];
}
