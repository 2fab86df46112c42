// Buttons that copy, and say that they did, to those who see them and those who hear them.
import { copyFrom } from "../clipboard";
import { byId, element } from "./dom";

export function copyButton(name: string, text: () => string): HTMLButtonElement {
  const button = element("button", { type: "button", class: "button quiet little" }, name);
  button.addEventListener("click", () => void copyFrom(button, text()).then(say));
  return button;
}

/** For those who listen. */
export function say(text: string): void {
  byId("said").textContent = text;
}
