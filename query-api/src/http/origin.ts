/** Checks whether a page of this site opens a socket: browsers always send the origin with a WebSocket. */
import type { IncomingHttpHeaders } from 'node:http';
import { isOwnOrigin } from '@rdm/platform';

/** Returns true for a request without an Origin: it is a poll from the same origin, or not from a browser. */
export function isFromOwnPage(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin } = headers;
  if (origin !== undefined) return isOwnOrigin(origin, headers, publicUrl);
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin';
}
