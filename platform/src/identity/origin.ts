/** Checks whether a browser's request comes from a page of the product: the protection against cross-site request forgery. */
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '@rdm/contracts';
import type { Request } from 'express';

/**
 * Writes of a browser must come from the product's pages: by Origin, else Referer, else — if a fetch may set neither — the
 * client's retry header. A request with no cookie and none of them comes from a system.
 */
export function checkOrigin(req: Request, publicUrl: string): void {
  const source = req.get('Origin') ?? req.get('Referer') ?? req.get('X-Origin') ?? req.get('X-Referer');
  if (source === undefined) {
    if (req.get('Cookie') === undefined && req.get('Sec-Fetch-Site') === undefined) return;
    throw new Refusal('ORIGIN', 'CSRF check failed: the request names no origin');
  }
  if (!isOwnOrigin(source, req.headers, publicUrl)) {
    throw new Refusal('ORIGIN', 'CSRF check failed: the request comes from another origin');
  }
}

/** Names of this machine. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Whether the product's pages are served at an address. An address with a user name never counts: neither the product nor a
 * browser sends one.
 */
export function isOwnOrigin(source: string, headers: IncomingHttpHeaders, publicUrl: string): boolean {
  if (!URL.canParse(source)) return false;
  const { origin, username, password } = new URL(source);
  return username === '' && password === '' && ownOrigins(headers, publicUrl).has(origin);
}

/** The public address; and if that is this machine, its other names too. */
function ownOrigins(headers: IncomingHttpHeaders, publicUrl: string): Set<string> {
  const own = new URL(publicUrl);
  const origins = new Set([own.origin]);
  if (LOOPBACK.includes(own.hostname)) {
    for (const host of LOOPBACK) origins.add(`${own.protocol}//${host}${own.port && `:${own.port}`}`);
    const host = headers['x-forwarded-host']?.toString() ?? headers.host;
    if (host && /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host)) origins.add(`${own.protocol}//${host}`);
  }
  return origins;
}
