// Updates a part of the page in place and changes only the nodes that differ, so focus, scroll position, selection and open
// <details> stay.

/** Marks elements that a script added; the server does not send them, and they stay. */
export const ADDED = "data-added";

export function morph(current: Element, fresh: Element): void {
  const before = [...current.childNodes].filter((node) => !(node instanceof Element && node.hasAttribute(ADDED)));
  const after = [...fresh.childNodes];
  after.forEach((node, i) => {
    const old = before[i];
    if (!old) {
      current.append(node);
    } else if (old instanceof Element && node instanceof Element && old.nodeName === node.nodeName) {
      morphAttributes(old, node);
      morph(old, node);
    } else if (old instanceof Text && node instanceof Text) {
      if (old.data !== node.data) {
        old.data = node.data;
      }
    } else {
      old.replaceWith(node);
    }
  });
  before.slice(after.length).forEach((node) => node.remove());
}

function morphAttributes(current: Element, fresh: Element): void {
  // The reader opens and closes <details>.
  const kept = current instanceof HTMLDetailsElement ? "open" : "";
  for (const { name } of [...current.attributes]) {
    if (name !== kept && !fresh.hasAttribute(name)) {
      current.removeAttribute(name);
    }
  }
  for (const { name, value } of [...fresh.attributes]) {
    if (name !== kept && current.getAttribute(name) !== value) {
      current.setAttribute(name, value);
    }
  }
}
