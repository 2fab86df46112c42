// Brings a part of the page up to date and touches nothing that is so already: focus, scrolling, what is selected and
// what was opened stay as the reader has them.

/** Marks what a script added; it is not in what the server sends, and stays. */
export const ADDED = "data-added";

export function follow(known: Element, fresh: Element): void {
  const before = [...known.childNodes].filter((node) => !(node instanceof Element && node.hasAttribute(ADDED)));
  const after = [...fresh.childNodes];
  after.forEach((node, i) => {
    const old = before[i];
    if (!old) {
      known.append(node);
    } else if (old instanceof Element && node instanceof Element && old.nodeName === node.nodeName) {
      attributes(old, node);
      follow(old, node);
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

function attributes(known: Element, fresh: Element): void {
  // The reader opens and closes it.
  const own = known instanceof HTMLDetailsElement ? "open" : "";
  for (const { name } of [...known.attributes]) {
    if (name !== own && !fresh.hasAttribute(name)) {
      known.removeAttribute(name);
    }
  }
  for (const { name, value } of [...fresh.attributes]) {
    if (name !== own && known.getAttribute(name) !== value) {
      known.setAttribute(name, value);
    }
  }
}
