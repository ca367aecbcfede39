/**
 * Sends JSON in one write, with an ETag for reads. It avoids work that Express repeats for each response; without this,
 * tests/bench/read.ts and translate.ts would not reach their throughput.
 */
import { hash } from 'node:crypto';
import type { Request, Response } from 'express';

/** The ETag, which has the size and a digest of the content, like that of Express. */
const weakTag = (body: string | Buffer, bytes: number): string =>
  `W/"${bytes.toString(16)}-${hash('sha1', body, 'base64').slice(0, 27)}"`;

/** Texts up to this length are sent as strings, because Node sends a string together with the head. Longer texts are encoded once. */
const SHORT = 16 * 1024;

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** Sends JSON text with the status and content type that are set. */
export function sendJson(req: Request, res: Response, text: string): void {
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'application/json; charset=utf-8');
  // The browser of the user may store the response of a read, but must revalidate it each time.
  if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', isRead(req) ? 'private, no-cache' : 'no-store');
  // Express checks whether the copy of the client is current, and answers HEAD requests.
  if (req.method === 'HEAD' || req.headers['if-none-match'] !== undefined) {
    // If the caller of fetch sets If-None-Match, fetch adds Cache-Control: no-cache, and Express then never answers
    // 304. Without this header, Express compares the copy with the current answer, which is what no-cache requires.
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
