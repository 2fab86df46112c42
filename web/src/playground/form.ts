// The form that the server rendered: its endpoint, its values and its marks.
import type { Call, Endpoint, Values } from "./call";
import { byId } from "./dom";

type Input = HTMLInputElement | HTMLSelectElement;

function inputs(form: HTMLFormElement): Input[] {
  return [...form.querySelectorAll<Input>("[data-in]")];
}

export function currentForm(): HTMLFormElement {
  return byId<HTMLFormElement>("form");
}

/** The call that the form holds. */
export function readCall(form: HTMLFormElement): Call {
  const all = inputs(form);
  const endpoint: Endpoint = {
    name: form.dataset.name ?? "",
    path: form.dataset.path ?? "",
    parameters: all.map((input) => ({
      name: input.name,
      in: input.dataset.in === "path" ? "path" : "query",
      required: input.getAttribute("aria-required") === "true",
    })),
    needsKey: "needsKey" in form.dataset,
    isStream: "stream" in form.dataset,
  };
  const values: Values = Object.fromEntries(all.map((input) => [input.name, input.value]));
  return { endpoint, values };
}

export function setValue(form: HTMLFormElement, name: string, value: string): void {
  const input = inputs(form).find((each) => each.name === name);
  if (input) {
    input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new Event("change", { bubbles: true }));
    input.focus();
  }
}

/** Marks required fields without a value and focuses the first. */
export function markMissing(form: HTMLFormElement, missing: string[]): void {
  for (const input of inputs(form)) {
    const isMissing = missing.includes(input.name);
    input.setAttribute("aria-invalid", String(isMissing));
    const note = form.querySelector<HTMLElement>(`#missing-${input.name}`);
    if (note) {
      note.hidden = !isMissing;
    }
  }
  form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
