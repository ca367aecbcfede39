/** Responses of the front door itself, in the same format as those of the services. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * The id of each request. Ids from callers are ignored: with the id of an earlier request, the audit log would confuse
 * the two requests.
 */
const ids = new WeakMap<IncomingMessage, string>();

export function requestIdOf(request: IncomingMessage): string {
  const id = ids.get(request) ?? randomUUID();
  ids.set(request, id);
  return id;
}

export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  response.end(request.method === 'HEAD' ? undefined : text);
}

export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  code: string,
  error: string,
) {
  const requestId = requestIdOf(request);
  const retry: Record<string, string> = status === 503 ? { 'Retry-After': '1' } : {};
  sendJson(request, response, status, { error, code, requestId }, { 'X-Request-Id': requestId, ...retry });
}

export const UNAVAILABLE = 'This part of the product is not available at the moment. Please try again.';

/** Returns a complete response as text, for a connection that is closed before its request has arrived completely. */
export function rawRefusal(status: keyof typeof EARLY_REFUSALS, error: string): string {
  const [statusText, code] = EARLY_REFUSALS[status];
  const body = JSON.stringify({ error, code, requestId: randomUUID() });
  const retry = status === 429 || status === 503 ? 'Retry-After: 1\r\n' : '';
  return `HTTP/1.1 ${status} ${statusText}\r\nConnection: close\r\n${retry}Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** The status text and code of each status of `rawRefusal`. */
const EARLY_REFUSALS = {
  408: ['Request Timeout', 'TIMEOUT'],
  429: ['Too Many Requests', 'TOO_MANY_REQUESTS'],
  431: ['Request Header Fields Too Large', 'TOO_LARGE'],
  503: ['Service Unavailable', 'UNAVAILABLE'],
} as const;
