/**
 * Writes the API documents that query-api serves, from the declared routes and messages. With `--check`, writes nothing
 * and fails if the committed documents differ from the declarations.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { asyncApiOf } from './asyncapi.ts';
import { routesOfServices } from './declared-routes.ts';
import { openApiOf } from './openapi.ts';

const documents = { 'openapi.json': openApiOf(routesOfServices()), 'asyncapi.json': asyncApiOf() };
const isCheck = process.argv.includes('--check');

const readIfExists = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

for (const [name, document] of Object.entries(documents)) {
  const file = fileURLToPath(new URL(`../../../query-api/${name}`, import.meta.url));
  const text = `${JSON.stringify(document, null, 1)}\n`;
  if (!isCheck) writeFileSync(file, text);
  else if (readIfExists(file) !== text) {
    console.error(`query-api/${name} differs from the declared routes or messages: run npm run openapi`);
    process.exitCode = 1;
  }
}
if (isCheck && process.exitCode === undefined) console.log('API documents: up to date.');
