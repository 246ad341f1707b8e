// Fails if the first load of the built console is larger than agreed: what the page
// itself loads, the largest language and the largest page, gzipped.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const limits = { js: 250_000, css: 25_000 };

/** @typedef {{ file: string, css?: string[], imports?: string[], isEntry?: boolean, dynamicImports?: string[] }} Chunk */
const parse = /** @type {(text: string) => Record<string, Chunk>} */ (JSON.parse);
const manifest = parse(readFileSync("node_modules/.cache/manifest.json", "utf8"));

/** @param {string} file */
const size = (file) => gzipSync(readFileSync(join("static/app", file)), { level: 9 }).length;

/** Collects the files that are loaded with a chunk. @param {string} key @param {Set<string>} into */
function collect(key, into) {
  const chunk = manifest[key];
  if (!chunk || into.has(chunk.file)) return into;
  into.add(chunk.file);
  for (const css of chunk.css ?? []) into.add(css);
  for (const other of chunk.imports ?? []) collect(other, into);
  return into;
}

/** @param {Iterable<string>} files */
function weigh(files) {
  const sum = { js: 0, css: 0 };
  for (const file of files) sum[file.endsWith(".css") ? "css" : "js"] += size(file);
  return sum;
}

const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry);
if (!entry) throw new Error("The build has no entry: run npm run build.");
const first = collect(entry, new Set());
const added = { language: { js: 0, css: 0 }, page: { js: 0, css: 0 } };
for (const key of Object.keys(manifest)) {
  const kind = /^src\/i18n\/[\w-]+\.ts$/.test(key) ? "language" : /^src\/pages\//.test(key) ? "page" : null;
  if (!kind) continue;
  const more = weigh([...collect(key, new Set())].filter((file) => !first.has(file)));
  added[kind].js = Math.max(added[kind].js, more.js);
  added[kind].css = Math.max(added[kind].css, more.css);
}
const base = weigh(first);
let failed = false;
for (const part of /** @type {const} */ (["js", "css"])) {
  const sum = base[part] + added.language[part] + added.page[part];
  const verdict = sum <= limits[part] ? "within" : "OVER";
  console.log(
    `budget: ${part} ${sum} bytes gzipped (${base[part]} always, ${added.language[part]} language, ${added.page[part]} page), ${verdict} ${limits[part]}`,
  );
  failed ||= sum > limits[part];
}
process.exitCode = failed ? 1 : 0;
