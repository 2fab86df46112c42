// The same call in other languages. Values are written as each language writes text, so that no value can end its quotes.
import { type Call, path, query, target, wellFormed } from "./call";

export interface Language {
  id: string;
  name: string;
  write(base: string, call: Call): string;
}

const KEY = "rc_YOUR_KEY";
/** Marks that are not seen, or turn the order of what is: better as numbers. */
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export const LANGUAGES: Language[] = [
  { id: "curl", name: "curl", write: curl },
  { id: "javascript", name: "JavaScript", write: javascript },
  { id: "python", name: "Python", write: python },
  { id: "rust", name: "Rust", write: rust },
];

function curl(base: string, call: Call): string {
  const pairs = query(call);
  const header = `-H ${shell(`X-API-Key: ${KEY}`)}`;
  // What cannot be seen cannot be written between quotes either.
  if (pairs.length === 0 || pairs.some(([, value]) => value.search(UNSEEN) >= 0)) {
    return `curl ${header} \\\n  ${shell(base + target(call))}`;
  }
  const data = pairs.map(([name, value]) => ` \\\n  --data-urlencode ${shell(`${name}=${wellFormed(value)}`)}`);
  return `curl -G ${header} \\\n  ${shell(base + path(call))}${data.join("")}`;
}

function javascript(base: string, call: Call): string {
  const pairs = query(call).map(([name, value]) => `  ${name}: ${json(value)},\n`);
  const search = pairs.length === 0 ? "" : `url.search = new URLSearchParams({\n${pairs.join("")}});\n`;
  return (
    `const url = new URL(${json(base + path(call))});\n${search}` +
    `const answer = await fetch(url, { headers: { "X-API-Key": ${json(KEY)} } });\nconsole.log(await answer.json());`
  );
}

function python(base: string, call: Call): string {
  const pairs = query(call).map(([name, value]) => `        ${json(name)}: ${json(value)},\n`);
  const params = pairs.length === 0 ? "" : `    params={\n${pairs.join("")}    },\n`;
  return (
    `import requests\n\nanswer = requests.get(\n    ${json(base + path(call))},\n${params}` +
    `    headers={"X-API-Key": ${json(KEY)}},\n)\nprint(answer.json())`
  );
}

function rust(base: string, call: Call): string {
  const pairs = query(call).map(([name, value]) => `(${literal(name)}, ${literal(value)})`);
  const search = pairs.length === 0 ? "" : `\n    .query(&[${pairs.join(", ")}])`;
  return (
    `// reqwest with its features "json" and "query"\nlet answer: serde_json::Value = reqwest::Client::new()\n` +
    `    .get(${literal(base + path(call))})${search}\n    .header("X-API-Key", ${literal(KEY)})\n` +
    `    .send()\n    .await?\n    .json()\n    .await?;\nprintln!("{answer:#}");`
  );
}

/** Between single quotes a shell reads nothing but the next quote. */
function shell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Of JavaScript, and just as well of Python. */
function json(text: string): string {
  return JSON.stringify(wellFormed(text)).replace(UNSEEN, (mark) => `\\u${hex(mark).padStart(4, "0")}`);
}

/** Of Rust. */
function literal(text: string): string {
  const escaped = wellFormed(text).replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n");
  return `"${escaped.replace(UNSEEN, (mark) => `\\u{${hex(mark)}}`)}"`;
}

function hex(mark: string): string {
  return mark.charCodeAt(0).toString(16);
}
