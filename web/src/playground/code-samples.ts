// The same call as a program in several languages, like src/web/code_sample, which renders it first. Values are escaped for
// each language, so no value can end its quotes.
import { type Call, path, query, target, wellFormed } from "./call";

type Generator = (baseUrl: string, call: Call) => string;

const KEY_PLACEHOLDER = "rc_YOUR_KEY";
/** Invisible characters and ones that change the text direction; written as escapes. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

/** By the value of the language choice. */
export const GENERATORS: Record<string, Generator> = { curl, javascript, python, rust, go };

function curl(baseUrl: string, call: Call): string {
  const pairs = query(call);
  // Without a buffer, events appear when they arrive.
  const unbuffered = call.endpoint.isStream ? "-N " : "";
  const header = `${unbuffered}-H ${shellQuote(`X-API-Key: ${KEY_PLACEHOLDER}`)}`;
  // A shell has no escapes between quotes: put invisible characters into the URL, percent-encoded.
  if (pairs.length === 0 || pairs.some(([, value]) => INVISIBLE.test(value))) {
    return `curl ${header} \\\n  ${shellQuote(baseUrl + target(call))}`;
  }
  const data = pairs.map(([name, value]) => ` \\\n  --data-urlencode ${shellQuote(`${name}=${wellFormed(value)}`)}`);
  return `curl -G ${header} \\\n  ${shellQuote(baseUrl + path(call))}${data.join("")}`;
}

function javascript(baseUrl: string, call: Call): string {
  const pairs = query(call).map(([name, value]) => `    ${name}: ${jsonLiteral(value)},\n`);
  const search = pairs.length === 0 ? "" : `  url.search = new URLSearchParams({\n${pairs.join("")}  });\n`;
  return (
    `async function main() {\n  const url = new URL(${jsonLiteral(baseUrl + path(call))});\n${search}` +
    `  const response = await fetch(url, { headers: { "X-API-Key": ${jsonLiteral(KEY_PLACEHOLDER)} } });\n` +
    `  console.log(JSON.stringify(await response.json(), null, 2));\n}\n\nmain();`
  );
}

function python(baseUrl: string, call: Call): string {
  const pairs = query(call).map(([name, value]) => `    ${jsonLiteral(name)}: ${jsonLiteral(value)},\n`);
  const [parse, search] = pairs.length === 0 ? ["", ""] : ["import urllib.parse\n", `url += "?" + urllib.parse.urlencode({\n${pairs.join("")}})\n`];
  return (
    `import json\n${parse}import urllib.request\n\nurl = ${jsonLiteral(baseUrl + path(call))}\n${search}` +
    `request = urllib.request.Request(url, headers={"X-API-Key": ${jsonLiteral(KEY_PLACEHOLDER)}})\n` +
    `with urllib.request.urlopen(request) as response:\n    print(json.dumps(json.load(response), indent=2))`
  );
}

function rust(baseUrl: string, call: Call): string {
  const pairs = query(call).map(([name, value]) => `            (${rustLiteral(name)}, ${rustLiteral(value)}),\n`);
  const [feature, search] = pairs.length === 0 ? ["", ""] : [', "query"', `        .query(&[\n${pairs.join("")}        ])\n`];
  return (
    `// Cargo.toml, [dependencies]:\n// reqwest = { version = "0.13", features = ["json"${feature}] }\n// serde_json = "1"\n` +
    `// tokio = { version = "1", features = ["macros", "rt-multi-thread"] }\n\n` +
    `#[tokio::main]\nasync fn main() -> Result<(), reqwest::Error> {\n` +
    `    let response: serde_json::Value = reqwest::Client::new()\n        .get(${rustLiteral(baseUrl + path(call))})\n${search}` +
    `        .header("X-API-Key", ${rustLiteral(KEY_PLACEHOLDER)})\n        .send()\n        .await?\n        .json()\n        .await?;\n` +
    `    println!("{response:#}");\n    Ok(())\n}`
  );
}

function go(baseUrl: string, call: Call): string {
  const failed = "\tif err != nil {\n\t\tpanic(err)\n\t}\n";
  return (
    `package main\n\nimport (\n\t"fmt"\n\t"io"\n\t"net/http"\n)\n\nfunc main() {\n` +
    `\trequest, err := http.NewRequest("GET", ${jsonLiteral(baseUrl + target(call))}, nil)\n${failed}` +
    `\trequest.Header.Set("X-API-Key", ${jsonLiteral(KEY_PLACEHOLDER)})\n\tresponse, err := http.DefaultClient.Do(request)\n${failed}` +
    `\tdefer response.Body.Close()\n\tbody, err := io.ReadAll(response.Body)\n${failed}\tfmt.Println(string(body))\n}`
  );
}

/** Between single quotes a shell interprets only the closing quote. */
function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A string literal for JavaScript, Python and Go. */
function jsonLiteral(text: string): string {
  return literal(text, (code) => `\\u${code.padStart(4, "0")}`);
}

function rustLiteral(text: string): string {
  return literal(text, (code) => `\\u{${code}}`);
}

function literal(text: string, escape: (code: string) => string): string {
  const named: Record<string, string> = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };
  const escaped = wellFormed(text).replace(/["\\]/g, "\\$&");
  return `"${escaped.replace(new RegExp(INVISIBLE, "g"), (char) => named[char] ?? escape(char.charCodeAt(0).toString(16)))}"`;
}
