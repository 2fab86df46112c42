// Creates elements without HTML strings: all content is text, so nothing can be injected.

type Properties = Record<string, string | boolean | undefined>;

/** Attributes: `true` sets an empty value, `false` or `undefined` omits the attribute. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value !== undefined && value !== false) {
      created.setAttribute(name, value === true ? "" : value);
    }
  }
  created.append(...children);
  return created;
}

/** The element with this id; throws if it is missing. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (!found) {
    throw new Error(`The page has no element #${id}`);
  }
  return found as Kind;
}
