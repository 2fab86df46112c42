// Bundles src/ into the folder named on the command line; every file's name carries a hash of its content.
import { build } from "esbuild";

const outdir = process.argv[2];
await build({
  entryPoints: ["src/main.ts", "src/style.css", "src/mark.svg"],
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
