/** The build of the client: React, Tailwind, contracts from source, and a few long-lived chunks. */
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';
import { helpPages } from './help-plugin.ts';

const server = process.env['API_URL'] ?? 'http://127.0.0.1:8080';

/** Groups libraries that rarely change in chunks of their own, so that browsers do not download them again with each release. */
function chunkOf(id: string): string | undefined {
  if (!id.includes('node_modules')) return undefined;
  if (/node_modules\/(react|react-dom|scheduler|react-router|react-router-dom)\//.test(id)) return 'react';
  if (/node_modules\/@tanstack\/(react-query|query-core)\//.test(id)) return 'query';
  return undefined;
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), helpPages()],
  resolve: { conditions: ['source', ...defaultClientConditions] },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // Nothing is inlined: inlined fonts and icons would be data: URLs, which the content security policy does not allow.
    assetsInlineLimit: 0,
    rollupOptions: { output: { manualChunks: chunkOf } },
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/api': { target: server, ws: true },
      '/socket.io': { target: server, ws: true },
      '/health': { target: server },
    },
  },
});
