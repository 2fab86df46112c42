// The same call as code in several languages. Values are escaped for each language, so no value can end its quotes.
import { type Call, path, query, target, wellFormed } from "./call";

export interface Language {
  id: string;
  name: string;
  generate(baseUrl: string, call: Call): string;
}

const KEY_PLACEHOLDER = "rc_YOUR_KEY";
/** Invisible characters and ones that change the text direction; written as escapes. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export const LANGUAGES: Language[] = [
  { id: "curl", name: "curl", generate: curl },
  { id: "javascript", name: "JavaScript", generate: javascript },
  { id: "python", name: "Python", generate: python },
  { id: "rust", name: "Rust", generate: rust },
];

function curl(baseUrl: string, call: Call): string {
  const pairs = query(call);
  const header = `-H ${shellQuote(`X-API-Key: ${KEY_PLACEHOLDER}`)}`;
  // A shell has no escapes between quotes: put invisible characters into the URL, percent-encoded.
  if (pairs.length === 0 || pairs.some(([, value]) => value.search(INVISIBLE) >= 0)) {
    return `curl ${header} \\\n  ${shellQuote(baseUrl + target(call))}`;
  }
  const data = pairs.map(([name, value]) => ` \\\n  --data-urlencode ${shellQuote(`${name}=${wellFormed(value)}`)}`);
  return `curl -G ${header} \\\n  ${shellQuote(baseUrl + path(call))}${data.join("")}`;
}

function javascript(baseUrl: string, call: Call): string {
  const pairs = query(call).map(([name, value]) => `  ${name}: ${jsonLiteral(value)},\n`);
  const search = pairs.length === 0 ? "" : `url.search = new URLSearchParams({\n${pairs.join("")}});\n`;
  return (
    `const url = new URL(${jsonLiteral(baseUrl + path(call))});\n${search}` +
    `const response = await fetch(url, { headers: { "X-API-Key": ${jsonLiteral(KEY_PLACEHOLDER)} } });\nconsole.log(await response.json());`
  );
}

function python(baseUrl: string, call: Call): string {
  const pairs = query(call).map(([name, value]) => `        ${jsonLiteral(name)}: ${jsonLiteral(value)},\n`);
  const params = pairs.length === 0 ? "" : `    params={\n${pairs.join("")}    },\n`;
  return (
    `import requests\n\nresponse = requests.get(\n    ${jsonLiteral(baseUrl + path(call))},\n${params}` +
    `    headers={"X-API-Key": ${jsonLiteral(KEY_PLACEHOLDER)}},\n)\nprint(response.json())`
  );
}

function rust(baseUrl: string, call: Call): string {
  const pairs = query(call).map(([name, value]) => `(${rustLiteral(name)}, ${rustLiteral(value)})`);
  const search = pairs.length === 0 ? "" : `\n    .query(&[${pairs.join(", ")}])`;
  return (
    `// reqwest with the features "json" and "query"\nlet response: serde_json::Value = reqwest::Client::new()\n` +
    `    .get(${rustLiteral(baseUrl + path(call))})${search}\n    .header("X-API-Key", ${rustLiteral(KEY_PLACEHOLDER)})\n` +
    `    .send()\n    .await?\n    .json()\n    .await?;\nprintln!("{response:#}");`
  );
}

/** Between single quotes a shell interprets only the closing quote. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A string literal for JavaScript and Python. */
function jsonLiteral(text: string): string {
  return JSON.stringify(wellFormed(text)).replace(INVISIBLE, (char) => `\\u${hex(char).padStart(4, "0")}`);
}

/** A string literal for Rust. */
function rustLiteral(text: string): string {
  const escaped = wellFormed(text).replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n");
  return `"${escaped.replace(INVISIBLE, (char) => `\\u{${hex(char)}}`)}"`;
}

function hex(char: string): string {
  return char.charCodeAt(0).toString(16);
}
