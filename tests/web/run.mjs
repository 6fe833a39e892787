// Runs the tests of the page's pure modules: bundles tests/web/node/*.test.ts, then `node --test`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const web = resolve(here, "../../web");
const { build } = createRequire(pathToFileURL(join(web, "package.json")))("esbuild");
const out = mkdtempSync(join(tmpdir(), "commonplace-page-"));
const files = readdirSync(join(here, "node")).filter((name) => name.endsWith(".test.ts"));
await build({
  entryPoints: files.map((name) => join(here, "node", name)),
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  outdir: out,
  outExtension: { ".js": ".mjs" },
  nodePaths: [join(web, "node_modules")],
  logLevel: "warning",
  define: { "process.env.CASES": JSON.stringify(resolve(here, "../core/cases")) },
});
const tests = files.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
const done = spawnSync(process.execPath, ["--test", ...tests], { stdio: "inherit" });
rmSync(out, { recursive: true });
process.exit(done.status ?? 1);
