/** Checks whether a page of this site opens a socket. */
import type { IncomingHttpHeaders } from 'node:http';
import { isOwnOrigin } from '@rdm/platform';

/**
 * Returns whether a request has the own origin. Browsers send an Origin with every WebSocket. A request without an Origin does
 * not come from a browser, or it is a polling request, whose `Sec-Fetch-Site` names the site.
 */
export function isFromOwnPage(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin } = headers;
  if (origin !== undefined) return isOwnOrigin(origin, headers, publicUrl);
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin';
}
