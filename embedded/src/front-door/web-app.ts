/**
 * Serves the built web app from memory. Each file is compressed once per encoding. Browsers cache files with hashed
 * names for a year, but never index.html.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { refuse } from './responses.ts';
import { pathOf } from './routes.ts';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};
const COMPRESSIBLE = /^text\/|json|javascript|svg|wasm/;
const UNCOMPRESSED_BYTES_MAX = 1024;

type Encoding = 'br' | 'gzip';
type File = {
  body: Buffer;
  etag: string;
  headers: Record<string, string>;
  compressed: Partial<Record<Encoding, Promise<Buffer>>>;
  isCompressible: boolean;
};

const COMPRESS: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
};

/**
 * Returns the security headers of pages. Inline styles are allowed, because components place menus and lock scrolling
 * by style elements. `blob:` workers read the files that a user selects. The host is listed for WebSockets, because
 * older browsers do not count them as 'self'. Pages exchange the authorization code with `signInOrigin`, the origin of
 * the sign-in provider.
 */
export function securityHeaders(publicUrl: string, signInOrigin?: string): Record<string, string> {
  const { protocol, host } = new URL(publicUrl);
  const isSecure = protocol === 'https:';
  const sockets = `${isSecure ? 'wss' : 'ws'}://${host}`;
  const policy = {
    'default-src': "'self'",
    'connect-src': ["'self'", sockets, ...(signInOrigin === undefined ? [] : [signInOrigin])].join(' '),
    'img-src': "'self' data:",
    'style-src': "'self' 'unsafe-inline'",
    'worker-src': "'self' blob:",
    'object-src': "'none'",
    'base-uri': "'self'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
  };
  return {
    'Content-Security-Policy': Object.entries(policy)
      .map(([name, sources]) => `${name} ${sources}`)
      .join('; '),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=()',
    ...(isSecure && { 'Strict-Transport-Security': 'max-age=31536000' }),
  };
}

/**
 * Returns the handler of the web app; reads the folder once. A navigation to a path without a file gets index.html, so
 * that links into the app work.
 */
export function webApp(folder: string, publicUrl: string, signInOrigin?: string) {
  const security = securityHeaders(publicUrl, signInOrigin);
  const files = readFiles(folder, security);

  return async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return refuse(request, response, 405, 'METHOD_NOT_ALLOWED', 'This address accepts only GET and HEAD');
    }
    const path = decodePath(pathOf(request.url ?? '/'));
    const file =
      files.get(path === '/' ? '/index.html' : path) ??
      (isNavigation(request, path) ? files.get('/index.html') : undefined);
    if (file === undefined) return refuse(request, response, 404, 'NOT_FOUND', 'There is no such page');
    if (request.headers['if-none-match'] === file.etag) {
      response.writeHead(304, { ETag: file.etag, ...file.headers });
      response.end();
      return;
    }
    const encoding = file.isCompressible ? preferredEncoding(request.headers['accept-encoding']) : undefined;
    const body = encoding === undefined ? file.body : await compress(file, encoding);
    response.writeHead(200, {
      ...file.headers,
      ETag: file.etag,
      'Content-Length': body.length,
      ...(encoding !== undefined && { 'Content-Encoding': encoding }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
}

function readFiles(folder: string, security: Record<string, string>): Map<string, File> {
  const files = new Map<string, File>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.startsWith('.')) continue;
    const full = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, full).split(sep).join('/')}`;
    const body = readFileSync(full);
    const type = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
    const isCompressible = COMPRESSIBLE.test(type) && body.length > UNCOMPRESSED_BYTES_MAX;
    files.set(path, {
      body,
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
      headers: {
        ...security,
        'Content-Type': type,
        'Cache-Control': cacheControl(path),
        ...(isCompressible && { Vary: 'Accept-Encoding' }),
      },
      compressed: {},
      isCompressible,
    });
  }
  return files;
}

/**
 * Returns the Cache-Control header. The name of a file under assets/ contains a hash of its content; other names stay
 * the same when the content changes.
 */
function cacheControl(path: string): string {
  if (path === '/index.html') return 'no-store';
  return path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
}

function compress(file: File, encoding: Encoding): Promise<Buffer> {
  const body = file.compressed[encoding] ?? COMPRESS[encoding](file.body);
  file.compressed[encoding] = body;
  return body;
}

function preferredEncoding(accepted: string | string[] | undefined): Encoding | undefined {
  const acceptedEncodings = String(accepted ?? '');
  return (['br', 'gzip'] as const).find((encoding) =>
    new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\b)`).test(acceptedEncodings),
  );
}

const isNavigation = (request: IncomingMessage, path: string) =>
  String(request.headers.accept ?? '').includes('text/html') && !path.startsWith('/assets/');

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
