/** Whether a request of a browser comes from a page of ours: the defence against requests forged by other sites. */
import type { IncomingHttpHeaders } from 'node:http';
import { Refusal } from '@rdm/contracts';
import type { Request } from 'express';

/**
 * Writes of a browser must come from our own pages: by Origin, else Referer, else — where a fetch may set neither —
 * the client's retry header. A call with no cookie and none of them is a system's.
 */
export function checkOrigin(req: Request, publicUrl: string): void {
  const said = req.get('Origin') ?? req.get('Referer') ?? req.get('X-Origin') ?? req.get('X-Referer');
  if (said === undefined) {
    if (req.get('Cookie') === undefined && req.get('Sec-Fetch-Site') === undefined) return;
    throw new Refusal('ORIGIN', 'CSRF check failed: the request names no origin');
  }
  if (!isOwnOrigin(said, req.headers, publicUrl)) {
    throw new Refusal('ORIGIN', 'CSRF check failed: the request comes from another origin');
  }
}

/** Names of this very machine. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Whether an address is one under which our pages are served. None of ours, nor of any browser's, carries a name before an @. */
export function isOwnOrigin(said: string, headers: IncomingHttpHeaders, publicUrl: string): boolean {
  if (!URL.canParse(said)) return false;
  const { origin, username, password } = new URL(said);
  return username === '' && password === '' && ownOrigins(headers, publicUrl).has(origin);
}

/** The public address; and where that is this very machine, its other names too. */
function ownOrigins(headers: IncomingHttpHeaders, publicUrl: string): Set<string> {
  const own = new URL(publicUrl);
  const origins = new Set([own.origin]);
  if (LOOPBACK.includes(own.hostname)) {
    for (const host of LOOPBACK) origins.add(`${own.protocol}//${host}${own.port && `:${own.port}`}`);
    const asked = headers['x-forwarded-host']?.toString() ?? headers.host;
    if (asked && /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(asked)) origins.add(`${own.protocol}//${asked}`);
  }
  return origins;
}
