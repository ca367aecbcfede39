/** The build and the development server of the web app, with the source files of `contracts` and shared chunks. */
import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, normalizePath, type Rolldown } from 'vite';
import { helpPages } from './help-plugin.ts';

const apiUrl = process.env['API_URL'] ?? 'http://127.0.0.1:8080';

const SOURCE = normalizePath(join(import.meta.dirname, 'src/'));
const SIGN_IN = `${SOURCE}features/identity/pages/SignIn.tsx`;

/**
 * The chunks that pages share, so that a page loads few files. Libraries that rarely change have their own chunks, so
 * that browsers do not download them again with each release. Rolldown makes the chunks of all other modules.
 */
const groups: Rolldown.CodeSplittingGroup[] = [
  { name: 'react', test: /node_modules\/(react|react-dom|scheduler|react-router|react-router-dom)\//, priority: 5 },
  { name: 'query', test: /node_modules\/@tanstack\/(react-query|query-core)\//, priority: 4 },
  { name: 'app', tags: ['$initial'], priority: 3 },
  { name: (id, modules) => (usedBySignIn(modules).has(id) ? 'sign-in' : null), debugName: 'sign-in', priority: 3 },
  { name: 'most-pages', minShareCount: 25, priority: 2 },
  { name: 'some-pages', minShareCount: 8, maxModuleSize: 6_000, priority: 1 },
];

let signInModules: Set<string> | undefined;

/** The module ids of the sign-in page and of the source files that this page imports directly or indirectly. */
function usedBySignIn(modules: Rolldown.ChunkingContext): Set<string> {
  if (signInModules) return signInModules;
  signInModules = new Set([SIGN_IN]);
  for (const id of signInModules)
    for (const each of modules.getModuleInfo(id)?.importedIds ?? [])
      if (each.startsWith(SOURCE)) signInModules.add(each);
  return signInModules;
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), helpPages()],
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Nothing is inlined, because the content security policy forbids fonts in data: URLs.
    assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/api': { target: apiUrl, ws: true },
      '/socket.io': { target: apiUrl, ws: true },
      '/health': { target: apiUrl },
    },
  },
});
