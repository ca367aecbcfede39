/** Prevents cross-site request forgery: checks that a browser's request comes from a page of the product. */
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '@rdm/contracts';
import type { Request } from 'express';

/**
 * The origin or page that a request names. A proxy can remove Origin and Referer, so the web client repeats a refused
 * request with X-Origin and X-Referer.
 */
const sourceOf = (req: Request): string | undefined =>
  req.get('Origin') ?? req.get('Referer') ?? req.get('X-Origin') ?? req.get('X-Referer');

/** Whether a browser sent the request. A request with no source, cookie or `Sec-Fetch-Site` comes from a system. */
export const isFromBrowser = (req: Request): boolean =>
  [sourceOf(req), req.get('Cookie'), req.get('Sec-Fetch-Site')].some((header) => header !== undefined);

/** Checks that a write of a browser comes from a page of the product. A request of a system is accepted. */
export function checkOrigin(req: Request, publicUrl: string): void {
  const source = sourceOf(req);
  if (source === undefined) {
    if (!isFromBrowser(req)) return;
    throw new Refusal('ORIGIN', 'CSRF check failed: the request names no origin');
  }
  if (!isOwnOrigin(source, req.headers, publicUrl)) {
    throw new Refusal('ORIGIN', 'CSRF check failed: the request comes from another origin');
  }
}

/** The loopback names of this machine. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Whether pages of the product are served at an address. False for an address with a user name or password, because
 * neither the product nor a browser sends such an address.
 */
export function isOwnOrigin(source: string, headers: IncomingHttpHeaders, publicUrl: string): boolean {
  if (!URL.canParse(source)) return false;
  const { origin, username, password } = new URL(source);
  return username === '' && password === '' && ownOrigins(headers, publicUrl).has(origin);
}

/**
 * The origin of the public address. For a loopback address, also all loopback names, and the host of the request if it
 * is a loopback name, because its port can differ.
 */
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
