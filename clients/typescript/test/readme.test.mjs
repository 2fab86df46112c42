// The code of the README compiles as users compile theirs.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import ts from "typescript";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
/** In the folder of the package, which knows itself by its name. It is not written. */
const FILE = `${PACKAGE}readme.mts`;
/** What Node.js gives, without its types. */
const NODE = "declare const process: { env: Record<string, string | undefined> };";
const OPTIONS = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
  noEmit: true,
};

/** What the compiler says of one module. */
function errorsOf(code) {
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => name === FILE || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === FILE ? ts.createSourceFile(name, code, OPTIONS.target, true) : getSourceFile(name, ...rest);
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram([FILE], OPTIONS, host));
  return diagnostics.map(({ code: number, messageText }) => `TS${number}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
}

test("the code of the README compiles with strict", () => {
  const blocks = readFileSync(`${PACKAGE}README.md`, "utf8").split("```ts\n").slice(1).map((rest) => rest.split("```")[0]);
  assert.equal(blocks.length, 3);
  // A later block uses the client of the first.
  assert.deepEqual(errorsOf([NODE, ...blocks].join("\n")), []);
  const wrong = 'import { RollcallClient } from "rollcall-client";\nnew RollcallClient({ baseUrl: "x", apiKey: process.env.ROLLCALL_KEY });';
  assert.match(errorsOf(`${NODE}\n${wrong}`).join(), /^TS(2322|2375|2769)/);
});
