/** Checks that no page of another origin opens a socket. */
import type { IncomingHttpHeaders } from 'node:http';
import { isOwnOrigin } from '@rdm/platform';

/**
 * Returns false if a page of another origin has sent the request. Browsers send an Origin with every WebSocket. A
 * request without an Origin is either a polling request of a browser, whose `Sec-Fetch-Site` is `same-origin` for pages
 * of the product, or it does not come from a browser and is allowed.
 */
export function isAllowedOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin } = headers;
  if (origin !== undefined) return isOwnOrigin(origin, headers, publicUrl);
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin';
}
