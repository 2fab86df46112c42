// Bundles src/ into the folder named on the command line; every file's name carries a hash of its content.
import { build } from "esbuild";

const outdir = process.argv[2];
await build({
  entryPoints: [
    { in: "src/main.ts", out: "main" },
    { in: "src/style.css", out: "style" },
    { in: "src/mark.svg", out: "mark" },
    { in: "src/human/main.ts", out: "human" },
    { in: "altcha/workers/pbkdf2", out: "human-worker" },
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
