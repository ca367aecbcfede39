/** JSON on its way out: with an ETag, in one write; what Express would otherwise find out anew for each answer is known here. */
import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';

/** As Express writes them: the size and a digest of what is sent. */
const weakTag = (body: Buffer): string =>
  `W/"${body.length.toString(16)}-${createHash('sha1').update(body).digest('base64').slice(0, 27)}"`;

/** Answers with JSON text under the status that is set, and as the kind of JSON that is set, if one is. */
export function sendJson(req: Request, res: Response, text: string): void {
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'application/json; charset=utf-8');
  // Whether a copy that the caller has is still good, and what is no GET's, Express decides.
  if (req.method !== 'GET' || res.statusCode !== 200 || req.headers['if-none-match'] !== undefined) {
    res.send(text);
    return;
  }
  const body = Buffer.from(text);
  res.setHeader('Content-Length', body.length);
  res.setHeader('ETag', weakTag(body));
  res.end(body);
}
