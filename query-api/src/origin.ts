/** Whether a socket is opened by our own pages: browsers always say where a WebSocket comes from. */
import type { IncomingHttpHeaders } from 'node:http';

const LOOPBACK = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

/** A request without an Origin is a same-origin poll, or no browser's at all. */
export function fromOwnPage(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const { origin } = headers;
  if (origin === undefined) {
    const site = headers['sec-fetch-site'];
    return site === undefined || site === 'same-origin';
  }
  if (!URL.canParse(origin)) return false;
  const own = new URL(publicUrl);
  const said = new URL(origin);
  if (said.origin === own.origin) return true;
  // This very machine goes by several names, and a front door may listen on another port than was meant.
  const asked = headers['x-forwarded-host'] ?? headers.host;
  return (
    LOOPBACK.test(own.host) &&
    LOOPBACK.test(said.host) &&
    said.protocol === own.protocol &&
    (said.port === own.port || said.host === asked)
  );
}
