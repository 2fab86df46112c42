// Tabs as the ARIA practices describe them: one stop for the Tab key, arrows between them.
import { element } from "./dom";

export interface Tab {
  id: string;
  name: string;
  panel: HTMLElement;
}

export function tabs(label: string, list: Tab[]): HTMLElement {
  const bar = element("div", { role: "tablist", "aria-label": label });
  const buttons = list.map(({ id, name, panel }) => {
    Object.entries({ id: `panel-${id}`, role: "tabpanel", "aria-labelledby": `tab-${id}` }).forEach(([attribute, value]) =>
      panel.setAttribute(attribute, value),
    );
    return element("button", { id: `tab-${id}`, type: "button", role: "tab", "aria-controls": `panel-${id}` }, name);
  });
  const choose = (chosen: number) => {
    buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", String(i === chosen));
      button.tabIndex = i === chosen ? 0 : -1;
    });
    list.forEach(({ panel }, i) => (panel.hidden = i !== chosen));
  };
  buttons.forEach((button, i) => button.addEventListener("click", () => choose(i)));
  bar.addEventListener("keydown", (event) => {
    const at = buttons.findIndex((button) => button === document.activeElement);
    const places: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 };
    const place = places[event.key];
    if (at >= 0 && place !== undefined) {
      event.preventDefault();
      const next = (place + buttons.length) % buttons.length;
      choose(next);
      buttons[next]?.focus();
    }
  });
  bar.append(...buttons);
  choose(0);
  return element("div", { class: "tabs" }, bar, ...list.map(({ panel }) => panel));
}
