/** Whether a socket is opened by our own pages: browsers always send the origin of a WebSocket. */
import type { IncomingHttpHeaders } from 'node:http';
import { isOwnOrigin } from '@rdm/platform';

/** A request without an Origin is a poll from the same origin, or not from a browser. */
export function fromOwnPage(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin } = headers;
  if (origin !== undefined) return isOwnOrigin(origin, headers, publicUrl);
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin';
}
