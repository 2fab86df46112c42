// The reader's API key: in memory only, so that it is gone with the page.
import { byId } from "./dom";

let key = "";

export function ownKey(): string {
  return key;
}

/** Connects the field of the key, which the server renders anew with each endpoint. Enter runs the call, as in the form. */
export function connectKeyField(run: () => void): void {
  const field = byId<HTMLInputElement>("own-key");
  field.value = key;
  field.addEventListener("input", () => {
    key = field.value.trim();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      run();
    }
  });
  field.closest("rc-own-key")?.removeAttribute("hidden");
}

/** Marks the field of a required key that is missing and focuses it; returns the message, or nothing if there is a key. */
export function markMissingKey(): string | undefined {
  const [field, note] = [byId<HTMLInputElement>("own-key"), byId("missing-own-key")];
  field.setAttribute("aria-invalid", String(key === ""));
  note.hidden = key !== "";
  if (key !== "") {
    return undefined;
  }
  field.closest("details")?.setAttribute("open", "");
  field.focus();
  return note.textContent ?? "";
}
