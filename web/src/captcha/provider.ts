// Turnstile and hCaptcha: loads the script of the provider, renders its widget and returns the token.
import { text } from "./translations";

interface WidgetApi {
  render(container: HTMLElement, options: Record<string, unknown>): unknown;
}

const PROVIDERS: Record<string, { script: string; global: string }> = {
  turnstile: { script: "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit", global: "turnstile" },
  hcaptcha: { script: "https://js.hcaptcha.com/1/api.js?render=explicit", global: "hcaptcha" },
};

export async function solveWithProvider(name: string, siteKey: string, container: HTMLElement): Promise<string> {
  const provider = PROVIDERS[name];
  if (!provider) {
    throw new Error(text.failed);
  }
  const api = await load(provider.script, provider.global);
  return new Promise((resolve, reject) => {
    const element = document.createElement("div");
    container.replaceChildren(element);
    const fail = () => reject(new Error(text.failed));
    api.render(element, { sitekey: siteKey, callback: resolve, "error-callback": fail, "expired-callback": fail });
  });
}

async function load(script: string, global: string): Promise<WidgetApi> {
  const loaded = () => (window as unknown as Record<string, WidgetApi | undefined>)[global];
  if (!loaded()) {
    await new Promise((resolve, reject) => {
      const element = document.createElement("script");
      element.src = script;
      element.onload = resolve;
      element.onerror = () => reject(new Error(text.blocked));
      document.head.append(element);
    });
  }
  const api = loaded();
  if (!api) {
    throw new Error(text.blocked);
  }
  return api;
}
