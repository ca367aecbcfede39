/** JSON on its way out: in one write, what is read with an ETag; what Express would otherwise find out anew for each answer is known here. */
import { hash } from 'node:crypto';
import type { Request, Response } from 'express';

/** As Express writes them: the size and a digest of what is sent. */
const weakTag = (body: string | Buffer, bytes: number): string =>
  `W/"${bytes.toString(16)}-${hash('sha1', body, 'base64').slice(0, 27)}"`;

/** A short text goes out together with the head, a buffer beside it; a long one is put into bytes once. */
const SHORT = 16 * 1024;

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** Answers with JSON text under the status that is set, and as the kind of JSON that is set, if one is. */
export function sendJson(req: Request, res: Response, text: string): void {
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'application/json; charset=utf-8');
  // A browser may keep what was read for this person, and asks each time whether it is still good.
  if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', isRead(req) ? 'private, no-cache' : 'no-store');
  // Whether a copy that the caller has is still good, and what of an answer a HEAD is told, Express decides.
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
