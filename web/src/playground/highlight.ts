// Highlights a sample after an edit, with the classes that the server uses.
import { element } from "./dom";

const TOKENS = new RegExp(
  [
    /(?<hs>"(?:\\.|[^"\\])*"|'[^']*')/,
    /(?<hc>^\/\/.*$)/,
    /\b(?<hk>async|await|as|const|curl|defer|fn|for|func|function|if|import|let|new|nil|package|with)\b/,
    /\b(?<hd>\d[\w.]*)/,
  ]
    .map((token) => token.source)
    .join("|"),
  "gm",
);

export function highlight(code: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of code.matchAll(TOKENS)) {
    const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined);
    parts.push(code.slice(end, match.index), element("span", { class: kind?.[0] }, match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, code.slice(end)];
}
