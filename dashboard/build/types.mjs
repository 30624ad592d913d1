// Writes src/api/schema.d.ts from the server's OpenAPI document. The file is not checked in: each build makes it, so that code that no
// longer fits the document does not compile.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import openapi, { astToString } from 'openapi-typescript';

const document = new URL('../../server/src/main/resources/openapi.json', import.meta.url);
const output = new URL('../src/api/schema.d.ts', import.meta.url);
const mark = `// openapi.json ${createHash('sha256').update(readFileSync(document)).digest('hex')}\n`;

if (!existsSync(output) || !readFileSync(output, 'utf8').startsWith(mark)) {
  // Only what the compiler needs: descriptions stay in the document.
  const types = astToString(await openapi(document, { silent: true })).replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, '');
  writeFileSync(output, mark + types);
  console.log(`wrote ${fileURLToPath(output)}`);
}
