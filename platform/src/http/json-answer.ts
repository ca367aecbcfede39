/**
 * Sends JSON in one write, with an ETag for reads. Skips work that Express repeats for each response: otherwise
 * tests/bench/read.ts and translate.ts would miss their target throughput.
 */
import { hash } from 'node:crypto';
import type { Request, Response } from 'express';

/** An ETag like that of Express: the size and a digest of the content. */
const weakTag = (body: string | Buffer, bytes: number): string =>
  `W/"${bytes.toString(16)}-${hash('sha1', body, 'base64').slice(0, 27)}"`;

/** The longest text, in characters, that is sent as a string: Node sends a string together with the head. */
const SHORT = 16 * 1024;

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** Sends JSON text. Headers that the caller has set replace the defaults. */
export function sendJson(req: Request, res: Response, text: string): void {
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'application/json; charset=utf-8');
  // A browser is allowed to store the response of a read, but must revalidate the response each time.
  if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', isRead(req) ? 'private, no-cache' : 'no-store');
  // Express answers HEAD requests, and compares the ETag of the client.
  if (req.method === 'HEAD' || req.headers['if-none-match'] !== undefined) {
    // `fetch` sends Cache-Control: no-cache with If-None-Match, and Express then never answers 304. The comparison of
    // ETags satisfies no-cache, so this header can be removed.
    delete req.headers['cache-control'];
    res.send(text);
    return;
  }
  const body = text.length <= SHORT ? text : Buffer.from(text);
  const bytes = Buffer.byteLength(body);
  res.setHeader('Content-Length', bytes);
  if (req.method === 'GET') res.setHeader('ETag', weakTag(body, bytes));
  res.end(body);
}
