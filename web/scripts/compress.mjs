// Writes FILE.gz and FILE.br beside each built file that gets smaller by it. The page
// itself is left out: the server puts something into it.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const folder = "static/app";
const worthwhile = /\.(?:js|css|svg|json|txt)$/;

// The manifest serves the budget and is no part of the console.
const manifest = join(folder, ".vite/manifest.json");
mkdirSync("node_modules/.cache", { recursive: true });
writeFileSync("node_modules/.cache/manifest.json", readFileSync(manifest));
rmSync(join(folder, ".vite"), { recursive: true });

for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
  if (!worthwhile.test(name)) continue;
  const file = join(folder, name);
  const data = readFileSync(file);
  const brotli = brotliCompressSync(data, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: data.length },
  });
  const gzip = gzipSync(data, { level: 9 });
  if (brotli.length < data.length) writeFileSync(`${file}.br`, brotli);
  if (gzip.length < data.length) writeFileSync(`${file}.gz`, gzip);
}
