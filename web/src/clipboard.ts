// Copying, and saying on the button what came of it.

const SHOWN = 2_000;

/** Gives the words that the button shows for a while. */
export async function copyFrom(button: HTMLButtonElement, text: string): Promise<string> {
  const name = button.dataset.name ?? (button.dataset.name = button.textContent ?? "");
  let told = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    told = "Your browser does not let this page copy";
  }
  button.textContent = told;
  setTimeout(() => (button.textContent = name), SHOWN);
  return told;
}
