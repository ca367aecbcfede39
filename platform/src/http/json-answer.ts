/**
 * Sends JSON in one write, with an ETag for reads. Avoids work that Express repeats for each answer: the throughput
 * limits of tests/bench/read.ts and translate.ts depend on it.
 */
import { hash } from 'node:crypto';
import type { Request, Response } from 'express';

/** Like Express: the size and a digest of the content. */
const weakTag = (body: string | Buffer, bytes: number): string =>
  `W/"${bytes.toString(16)}-${hash('sha1', body, 'base64').slice(0, 27)}"`;

/** A short text goes out together with the head, for which Node would send a buffer separately; a long one is encoded once. */
const SHORT = 16 * 1024;

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** Sends JSON text with the status and content type that are set. */
export function sendJson(req: Request, res: Response, text: string): void {
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'application/json; charset=utf-8');
  // A browser may keep what was read for its user, and validates it each time.
  if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', isRead(req) ? 'private, no-cache' : 'no-store');
  // Express decides whether the client's copy is current, and answers HEAD requests.
  if (req.method === 'HEAD' || req.headers['if-none-match'] !== undefined) {
    res.send(text);
    return;
  }
  const body = text.length <= SHORT ? text : Buffer.from(text);
  const bytes = Buffer.byteLength(body);
  res.setHeader('Content-Length', bytes);
  if (req.method === 'GET') res.setHeader('ETag', weakTag(body, bytes));
  res.end(body);
}
