// The form of one endpoint: a field for each parameter, with what it takes.
import type { Call, Values } from "./call";
import { type Endpoint, type Parameter, kind } from "./document";
import { element, words } from "./dom";

/** A form with more fields than this shows the first few and folds the rest. */
const MANY = 7;
const FIRST = 4;

/** The fields, filled with these values. `suggest` gives names for the path that were seen in answers. */
export function fields(call: Call, suggest: string[]): HTMLElement[] {
  const all = call.endpoint.parameters;
  if (all.length === 0) {
    return [element("p", { class: "soft" }, "This call takes no parameters.")];
  }
  const given = (parameter: Parameter) => call.values[parameter.name] ?? "";
  const grid = (list: Parameter[]) =>
    element("div", { class: "fields" }, ...list.map((parameter) => field(parameter, given(parameter), suggest)));
  if (all.length <= MANY) {
    return [grid(all)];
  }
  const rest = all.slice(FIRST);
  const more = element("summary", {}, `${rest.length} more parameters`);
  return [grid(all.slice(0, FIRST)), element("details", { class: "more", open: rest.some(given) }, more, grid(rest))];
}

/** What stands in the fields now. */
export function values(form: HTMLFormElement, endpoint: Endpoint): Values {
  const given = new FormData(form);
  return Object.fromEntries(endpoint.parameters.map(({ name }) => [name, String(given.get(name) ?? "")]));
}

/** Says which fields are missing, and goes to the first. */
export function complain(form: HTMLFormElement, missing: string[]): void {
  for (const input of form.querySelectorAll<HTMLInputElement>("[name]")) {
    const wanting = missing.includes(input.name);
    input.setAttribute("aria-invalid", String(wanting));
    const note = form.querySelector<HTMLElement>(`#wanting-${input.name}`);
    if (note) {
      note.hidden = !wanting;
    }
  }
  form.querySelector<HTMLInputElement>('[aria-invalid="true"]')?.focus();
}

function field(parameter: Parameter, value: string, suggest: string[]): HTMLElement {
  const { name, required, description } = parameter;
  const id = `field-${name}`;
  const marks = required ? [" ", element("span", { class: "pill warn" }, "needed")] : [];
  const notes = [element("span", { id: `about-${name}`, class: "soft small" }, ...words(description))];
  if (required) {
    const wanting = element("span", { id: `wanting-${name}`, class: "down small" }, `This call needs a ${name}.`);
    wanting.hidden = true;
    notes.push(wanting);
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
  const about = `about-${name} kind-${name}${required ? ` wanting-${name}` : ""}`;
  const attributes = { id, name, "aria-describedby": about };
  const choices = schema.type === "boolean" ? ["true", "false"] : schema.enum;
  if (choices) {
    const none = schema.default === undefined ? "not given" : `default: ${schema.default}`;
    // A shared address may hold what the API will refuse.
    const all = value === "" || choices.includes(value) ? choices : [...choices, value];
    const options = all.map((choice) => element("option", { value: choice, selected: choice === value }, choice));
    return [element("select", attributes, element("option", { value: "" }, none), ...options)];
  }
  const numeric = { integer: "numeric", number: "decimal", boolean: undefined, string: undefined }[schema.type];
  const list = place === "path" && suggest.length > 0 ? `seen-${name}` : undefined;
  const made = element("input", {
    ...attributes,
    // Not type="number", which would hide what it cannot read.
    type: "text",
    inputmode: numeric,
    list,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-required": required ? "true" : undefined,
    placeholder: schema.default === undefined ? undefined : `default: ${schema.default}`,
  });
  made.value = value;
  const seen = list ? [element("datalist", { id: list }, ...suggest.map((name) => element("option", { value: name })))] : [];
  return [made, ...seen];
}
