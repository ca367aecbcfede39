/** Reads the methods and paths of the API reference: those of both services, of which each declares only its own. */
import { readFileSync } from 'node:fs';

/** Returns the routes in the file that `npm run openapi` writes. Works for sources and compiled files. */
export function documentedRoutes(): { method: string; path: string }[] {
  const text = readFileSync(new URL('../../api-methods.json', import.meta.url), 'utf8');
  const methods = JSON.parse(text) as Record<string, string[]>;
  return Object.entries(methods).flatMap(([path, each]) => each.map((method) => ({ method, path })));
}
