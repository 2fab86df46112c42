// Bundles src/ into the folder given on the command line. File names contain a hash of the content.
import { build } from "esbuild";

const outdir = process.argv[2];
await build({
  entryPoints: [
    { in: "src/main.ts", out: "main" },
    { in: "src/style.css", out: "style" },
    { in: "src/logo.svg", out: "logo" },
    { in: "src/captcha/main.ts", out: "captcha" },
    { in: "altcha/workers/pbkdf2", out: "captcha-worker" },
    { in: "src/playground/main.ts", out: "playground" },
    { in: "src/playground.css", out: "playground-style" },
  ],
  absWorkingDir: import.meta.dirname,
  outdir,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022", "chrome111", "firefox113", "safari16.4"],
  entryNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  loader: { ".svg": "copy" },
  logLevel: "warning",
});
