// Tabs after the ARIA authoring practices: one tab stop, arrow keys move between tabs.
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
  const select = (selected: number) => {
    buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", String(i === selected));
      button.tabIndex = i === selected ? 0 : -1;
    });
    list.forEach(({ panel }, i) => (panel.hidden = i !== selected));
  };
  buttons.forEach((button, i) => button.addEventListener("click", () => select(i)));
  bar.addEventListener("keydown", (event) => {
    const focused = buttons.findIndex((button) => button === document.activeElement);
    const targets: Record<string, number> = { ArrowRight: focused + 1, ArrowLeft: focused - 1, Home: 0, End: buttons.length - 1 };
    const target = targets[event.key];
    if (focused >= 0 && target !== undefined) {
      event.preventDefault();
      const next = (target + buttons.length) % buttons.length;
      select(next);
      buttons[next]?.focus();
    }
  });
  bar.append(...buttons);
  select(0);
  return element("div", { class: "tabs" }, bar, ...list.map(({ panel }) => panel));
}
