// Builds the page: node build.mjs [--watch] [--out=FOLDER].
// Names of assets carry a hash of what they hold, so that browsers may keep them for ever.
import { build, context } from "esbuild";
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const NOTE_GZIPPED_MAX = 180_000;
const DRAWING = "node_modules/@mermaid-js/tiny/dist/mermaid.tiny.js";

const here = dirname(fileURLToPath(import.meta.url));
const watching = process.argv.includes("--watch");
const named = process.argv.find((word) => word.startsWith("--out="));
const out = resolve(named ? named.slice(6) : join(here, "../src/commonplace/server/static"));

// Parts of packages that nothing here uses, and that no tree-shaking finds out about: cursors of
// others (src/editor/presence.ts draws them) and a coloured log, which brings a DOM of its own.
const SPARED = {
  "y-remote-selections.js": "export const yRemoteSelections = []; export const yRemoteSelectionsTheme = [];",
  "lib0/logging": "export const [BOLD, UNBOLD, ORANGE, RED] = ['', '', '', '']; export const print = (...words) => console.log(...words); export const warn = print;",
};
const spare = {
  name: "spare",
  setup(bundle) {
    bundle.onResolve({ filter: /(^|\/)(y-remote-selections\.js|lib0\/logging)$/ }, ({ path }) => ({ path: path.replace("./", ""), namespace: "spared", sideEffects: false }));
    bundle.onLoad({ filter: /./, namespace: "spared" }, ({ path }) => ({ contents: SPARED[path] }));
  },
};

const options = {
  absWorkingDir: here,
  entryPoints: ["src/main.tsx"],
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: !watching,
  sourcemap: watching,
  outdir: join(out, "assets"),
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  loader: { ".woff2": "file", ".svg": "dataurl" },
  metafile: true,
  legalComments: "none",
  logLevel: "warning",
  plugins: [spare],
};

async function finish(result) {
  if (!result.metafile) return;
  const outputs = Object.entries(result.metafile.outputs);
  const [script, main] = outputs.find(([, output]) => output.entryPoint === "src/main.tsx");
  const local = (path) => relative(out, resolve(here, path)).replaceAll("\\", "/");
  const source = await readFile(join(here, "index.html"), "utf8");
  const page = source
    .replace("src/main.tsx", local(script))
    .replace("src/styles/page.css", local(main.cssBundle))
    .replace("</head>", `${preloads(result.metafile.outputs).map(local).map(preload).join("")}</head>`);
  await writeFile(join(out, "index.html"), page);
  await writeFile(join(out, "licences.txt"), await licences(result.metafile, await buildFrames(), worker));
  await measure(result.metafile.outputs);
}

// What runs in a frame with an origin of its own: one plain script, since such a frame may load no
// modules, and the document that loads it.
async function buildFrames() {
  const { metafile } = await build({ ...options, entryPoints: ["src/frames/diagrams.ts"], format: "iife", splitting: false, plugins: [] });
  const [script] = Object.keys(metafile.outputs).filter((path) => path.endsWith(".js"));
  const local = relative(out, resolve(here, script)).replaceAll("\\", "/");
  // Comes as one file that puts itself into the global scope, so it is taken as it is.
  const drawing = await readFile(join(here, DRAWING));
  const name = `assets/mermaid-${createHash("sha256").update(drawing).digest("hex").slice(0, 8).toUpperCase()}.js`;
  await writeFile(join(out, name), drawing);
  const scripts = [name, local].map((each) => `<script src="${each}"></script>`).join("");
  await writeFile(join(out, "diagrams.html"), `<!doctype html><html lang="en"><meta charset="utf-8"><title>Draws diagrams</title><body>${scripts}</body></html>\n`);
  return { inputs: { ...metafile.inputs, [DRAWING]: {} } };
}

// What runs in a thread of its own: one plain script; the page is built with its address, a site with all of it.
async function buildWorker() {
  const { metafile } = await build({ ...options, entryPoints: ["src/graph/worker.ts"], entryNames: "graph-[hash]", format: "iife", splitting: false, plugins: [] });
  const [script] = Object.keys(metafile.outputs).filter((path) => path.endsWith(".js"));
  return { script: resolve(here, script), inputs: metafile.inputs };
}

// Every package that went into the page, with its licence text.
async function licences(...metafiles) {
  const packages = new Set();
  for (const input of metafiles.flatMap(({ inputs }) => Object.keys(inputs))) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[1]);
  }
  const parts = await Promise.all([...packages].sort().map(licence));
  return parts.join("\n\n");
}

async function licence(name) {
  const folder = join(here, "node_modules", name);
  const about = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  for (const file of ["LICENSE", "LICENSE.md", "LICENSE.txt", "LICENSE-MIT.txt", "LICENCE", "license"]) {
    const text = await readFile(join(folder, file), "utf8").catch(() => null);
    if (text) return `${name} ${about.version} (${about.license})\n\n${text.trim()}`;
  }
  throw new Error(`${name} has no licence text`);
}

const preload = (path) => `<link rel="modulepreload" href="${path}" />`;

// Without being told, a browser would find each of these only after reading the one before.
function preloads(outputs) {
  const entry = (source) => Object.keys(outputs).find((path) => outputs[path].entryPoint === source);
  return [...reached(outputs, [entry("src/main.tsx"), entry("src/parts/note.tsx")])].filter((path) => path !== entry("src/main.tsx"));
}

// The scripts that come with the first answer, and those of an open note with them.
async function measure(outputs) {
  const entry = (source) => Object.keys(outputs).find((path) => outputs[path].entryPoint === source);
  const main = await gzipped(outputs, [entry("src/main.tsx")]);
  const note = await gzipped(outputs, [entry("src/main.tsx"), entry("src/parts/note.tsx")]);
  console.log(`gzipped: ${kB(main)} to begin, ${kB(note)} with an open note`);
  if (!watching && note > NOTE_GZIPPED_MAX) throw new Error(`over ${kB(NOTE_GZIPPED_MAX)}`);
}

function reached(outputs, entries) {
  const wanted = new Set();
  const visit = (path) => {
    if (wanted.has(path)) return;
    wanted.add(path);
    for (const each of outputs[path].imports) if (each.kind === "import-statement") visit(each.path);
  };
  entries.forEach(visit);
  return wanted;
}

async function gzipped(outputs, entries) {
  const sizes = await Promise.all([...reached(outputs, entries)].map(async (path) => gzipSync(await readFile(resolve(here, path))).length));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

await rm(out, { recursive: true, force: true });
await mkdir(join(out, "assets"), { recursive: true });
const worker = await buildWorker();
options.define = { GRAPH_WORKER: JSON.stringify(relative(out, worker.script).replaceAll("\\", "/")) };
if (watching) {
  const plugin = { name: "finish", setup: (bundle) => bundle.onEnd(finish) };
  await (await context({ ...options, plugins: [spare, plugin] })).watch();
} else {
  await finish(await build(options));
  await buildSite();
}

// The same renderer for sites of plain files (`commonplace site`): one classic script, because a
// browser loads no modules from a folder.
async function buildSite() {
  // Neither does it load a worker from there, so the script holds that one itself.
  const inside = `data:text/javascript;base64,${(await readFile(worker.script)).toString("base64")}`;
  const define = { GRAPH_WORKER: JSON.stringify(inside) };
  const { metafile } = await build({ ...options, define, entryPoints: ["src/site/site.tsx"], splitting: false, format: "iife" });
  const [script, output] = Object.entries(metafile.outputs).find(([, each]) => each.entryPoint === "src/site/site.tsx");
  const names = Object.keys(metafile.outputs).map((path) => path.slice(path.lastIndexOf("/") + 1));
  const name = (path) => path.slice(path.lastIndexOf("/") + 1);
  await writeFile(join(out, "site.json"), JSON.stringify({ script: name(script), style: name(output.cssBundle), files: names.sort() }));
}
