/** The answer until the product is ready: browsers get a page that reloads itself, other clients get an error. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { WORDS } from '@rdm/contracts/refusal';
import { refuse } from './responses.ts';
import { securityHeaders } from './web-app.ts';

/** The reason why the product shows only this page. */
export type ClosedReason = 'starting' | 'restoring';

const WORDING = {
  starting: {
    title: 'Starting',
    heading: 'Reference Data Management is starting',
    text: 'The product opens here as soon as everything is ready.',
    code: 'STARTING',
    error: WORDS.starting,
  },
  restoring: {
    title: 'Restoring',
    heading: 'The data are being restored from a backup',
    text: 'The product opens here as soon as everything is ready. All users must then sign in again.',
    code: 'RESTORING',
    error: WORDS.restoring,
  },
} as const;

const pageOf = ({ title, heading, text }: (typeof WORDING)[ClosedReason]) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="2">
<title>${title} · Reference Data Management</title>
<style>
:root { color-scheme: light dark; --canvas: #f6f7f8; --ink: #16191d; --muted: #586069 }
@media (prefers-color-scheme: dark) { :root { --canvas: #0e1114; --ink: #e8ebee; --muted: #9ba5af } }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; background: var(--canvas); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; text-align: center }
h1 { font-size: 20px; font-weight: 600; margin: 0 } p { color: var(--muted); margin: 4px 16px }
</style>
</head>
<body><main role="status"><h1>${heading}</h1>
<p>${text}</p></main></body>
</html>
`;

export function sendStartingPage(
  request: IncomingMessage,
  response: ServerResponse,
  publicUrl: string,
  reason: ClosedReason = 'starting',
): void {
  const wording = WORDING[reason];
  if (!String(request.headers.accept ?? '').includes('text/html')) {
    refuse(request, response, 503, wording.code, wording.error);
    return;
  }
  const page = pageOf(wording);
  response.writeHead(503, {
    ...securityHeaders(publicUrl),
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(page),
    'Cache-Control': 'no-store',
    'Retry-After': '2',
  });
  response.end(request.method === 'HEAD' ? undefined : page);
}
