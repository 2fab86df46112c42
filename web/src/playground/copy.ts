// Buttons that copy, and say that they did, to those who see them and those who hear them.
import { byId, element } from "./dom";

const SHOWN = 2000;

export function copyButton(name: string, text: () => string): HTMLButtonElement {
  const button = element("button", { type: "button", class: "button quiet little" }, name);
  button.addEventListener("click", () => void copy(button, name, text()));
  return button;
}

async function copy(button: HTMLButtonElement, name: string, text: string): Promise<void> {
  let told = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    told = "Your browser does not let this page copy";
  }
  button.textContent = told;
  say(told);
  setTimeout(() => (button.textContent = name), SHOWN);
}

/** For those who listen. */
export function say(text: string): void {
  byId("said").textContent = text;
}
