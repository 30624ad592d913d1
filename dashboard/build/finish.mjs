// After `vite build`: marks the page's root, compresses each file, lists all of them for the server, and holds them against the budgets.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const KIB = 1024;
const BUDGETS = { 'first JavaScript': 110 * KIB, 'all JavaScript': 180 * KIB, CSS: 20 * KIB };

const directory = new URL('../target/classes/dashboard/', import.meta.url);
const html = readFileSync(new URL('index.html', directory), 'utf8');
// The server puts the way up to the root here: one page is sent at every path.
writeFileSync(new URL('index.html', directory), html.replaceAll('="./', '="{{root}}'));

const sizes = { 'first JavaScript': 0, 'all JavaScript': 0, CSS: 0 };
const lines = ['index.html'];
for (const name of readdirSync(new URL('assets/', directory)).sort()) {
  if (/\.(br|gz)$/.test(name)) continue;
  const path = `assets/${name}`;
  const bytes = readFileSync(new URL(path, directory));
  const gzip = gzipSync(bytes, { level: 9 });
  const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
  writeFileSync(new URL(`${path}.br`, directory), brotli);
  writeFileSync(new URL(`${path}.gz`, directory), gzip);
  lines.push(`${path} br gzip`);
  if (name.endsWith('.js')) {
    sizes['all JavaScript'] += gzip.length;
    if (html.includes(path)) sizes['first JavaScript'] += gzip.length;
  }
  if (name.endsWith('.css')) sizes.CSS += gzip.length;
}
writeFileSync(new URL('files.txt', directory), lines.join('\n') + '\n');

let isOver = false;
for (const [what, size] of Object.entries(sizes)) {
  const over = size > BUDGETS[what];
  isOver ||= over;
  console.log(`${what}: ${(size / KIB).toFixed(1)} KiB of ${BUDGETS[what] / KIB} KiB gzip${over ? ', over its budget' : ''}`);
}
process.exit(isOver ? 1 : 0);
