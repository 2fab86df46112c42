// Bundles src/ into the folder given on the command line. File names contain a hash of the content.
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const outdir = process.argv[2];
const flags = readdirSync(`${import.meta.dirname}/node_modules/country-flag-icons/3x2`)
  .filter((name) => /^[A-Z]{2}\.svg$/.test(name))
  .map((name) => ({ in: `./node_modules/country-flag-icons/3x2/${name}`, out: `flag-${name.slice(0, 2)}` }));
await build({
  entryPoints: [
    { in: "src/main.ts", out: "main" },
    { in: "src/style.css", out: "style" },
    { in: "src/embed.css", out: "embed-style" },
    { in: "src/logo.svg", out: "logo" },
    { in: "src/captcha/main.ts", out: "captcha" },
    { in: "altcha/workers/pbkdf2", out: "captcha-worker" },
    { in: "src/viewer/main.ts", out: "viewer" },
    { in: "src/playground/main.ts", out: "playground" },
    { in: "src/playground.css", out: "playground-style" },
    ...flags,
  ],
  absWorkingDir: import.meta.dirname,
  outdir,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022", "chrome123", "firefox120", "safari17.5"],
  entryNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  loader: { ".svg": "copy" },
  logLevel: "warning",
});
