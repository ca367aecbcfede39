/** Checks that no page of another origin opens a socket. */
import type { IncomingHttpHeaders } from 'node:http';
import { isOwnOrigin } from '@rdm/platform';

/**
 * Returns false for a request by a page of another origin. Browsers send `Origin` with each WebSocket, and
 * `Sec-Fetch-Site` with polling requests. A request with neither header does not come from a browser and is allowed.
 */
export function isAllowedOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin } = headers;
  if (origin !== undefined) return isOwnOrigin(origin, headers, publicUrl);
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin';
}
