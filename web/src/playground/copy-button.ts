// Buttons that copy text and announce the result, also to screen readers.
import { copyToClipboard } from "../copy-to-clipboard";
import { byId, element } from "./dom";

export function copyButton(name: string, text: () => string): HTMLButtonElement {
  const button = element("button", { type: "button", class: "button quiet little" }, name);
  button.addEventListener("click", () => void copyToClipboard(button, text()).then(announce));
  return button;
}

/** Announces a message to screen readers. */
export function announce(text: string): void {
  byId("said").textContent = text;
}
