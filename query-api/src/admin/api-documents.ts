/** Serves the API documents, which `npm run openapi` generates from the declared routes. */
import { readFile } from 'node:fs/promises';
import { type Route, route } from '@rdm/platform';
import { z } from 'zod';

const Document = z.record(z.string(), z.unknown());

/** Reads a file in the folder of this workspace, which is two levels above this module both in `src` and in `dist`. */
async function readDocument(name: string): Promise<string> {
  const text = await readFile(new URL(`../../${name}`, import.meta.url), 'utf8');
  // Removes the line breaks and indents, which only make diffs readable.
  return JSON.stringify(JSON.parse(text));
}

const documentRoute = (name: 'openapi.json' | 'asyncapi.json', summary: string): Route => {
  let document: Promise<string> | undefined;
  return route('get', `/api/${name}`, { public: true }, { summary, answers: { 200: Document } }, async () => {
    document ??= readDocument(name);
    return { json: await document };
  });
};

export const apiDocumentRoutes = (): Route[] => [
  documentRoute('openapi.json', 'Read the OpenAPI document of the API'),
  documentRoute('asyncapi.json', 'Read the AsyncAPI document of the live channel and the change feed'),
];
