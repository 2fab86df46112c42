// Elements without markup in strings: whatever is put into them is text.

type Properties = Record<string, string | boolean | undefined>;

/** An element with attributes (true: without a value; false or undefined: none) and children. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value !== undefined && value !== false) {
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...children);
  return made;
}

/** A text with the code in it, which stands between backticks. */
export function words(text: string): (Node | string)[] {
  return text.split("`").map((part, i) => (i % 2 === 1 ? element("code", {}, part) : part));
}

/** The one element of the page that has this id. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (!found) {
    throw new Error(`the page has no #${id}`);
  }
  return found as Kind;
}
