// Copies text and reports the result on the button.
import { text as texts } from "./translations";

const MESSAGE_MS = 2_000;

/** Returns the message that the button shows for two seconds. */
export async function copyToClipboard(button: HTMLButtonElement, text: string): Promise<string> {
  const name = button.dataset.name ?? (button.dataset.name = button.textContent ?? "");
  let message = texts.copied;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    message = texts.copyBlocked;
  }
  button.textContent = message;
  setTimeout(() => (button.textContent = name), MESSAGE_MS);
  return message;
}
