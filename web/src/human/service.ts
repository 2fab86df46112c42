// The checks of others: their script draws what it likes into a place of ours and gives a token.

interface Widget {
  render(place: HTMLElement, options: Record<string, unknown>): unknown;
}

const SERVICES: Record<string, { script: string; global: string }> = {
  turnstile: { script: "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit", global: "turnstile" },
  hcaptcha: { script: "https://js.hcaptcha.com/1/api.js?render=explicit", global: "hcaptcha" },
};
const UNREACHABLE = "The check cannot be loaded. Something between you and it may block it.";
const FAILED = "The check was not passed. Please try again.";

export async function pass(name: string, siteKey: string, place: HTMLElement): Promise<string> {
  const service = SERVICES[name];
  if (!service) {
    throw new Error(FAILED);
  }
  const widget = await load(service.script, service.global);
  return new Promise((resolve, reject) => {
    const room = document.createElement("div");
    place.replaceChildren(room);
    const fail = () => reject(new Error(FAILED));
    widget.render(room, { sitekey: siteKey, callback: resolve, "error-callback": fail, "expired-callback": fail });
  });
}

async function load(script: string, global: string): Promise<Widget> {
  const there = () => (window as unknown as Record<string, Widget | undefined>)[global];
  if (!there()) {
    await new Promise((resolve, reject) => {
      const element = document.createElement("script");
      element.src = script;
      element.onload = resolve;
      element.onerror = () => reject(new Error(UNREACHABLE));
      document.head.append(element);
    });
  }
  const widget = there();
  if (!widget) {
    throw new Error(UNREACHABLE);
  }
  return widget;
}
