/** Reads a file piece by piece, as strings of UTF-8 bytes with one character for each byte. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type FileBytes, SLICE_MS } from './source.ts';
import { transcoderOf } from './text-transcoder.ts';

export interface DecodedPiece {
  text: string;
  /** The number of bytes of the file up to the end of this piece. */
  bytes: number;
  isLast: boolean;
}

/** Yields the text of a file in pieces, and yields to the event loop regularly. */
export async function* decodedPieces(file: FileBytes, encoding: string): AsyncGenerator<DecodedPiece> {
  const transcode = transcoderOf(encoding);
  let bytes = 0;
  let sliceStart = performance.now();
  for await (const piece of file.pieces()) {
    bytes += piece.length;
    yield { text: transcode(piece).toString('latin1'), bytes, isLast: false };
    if (performance.now() - sliceStart < SLICE_MS) continue;
    await yieldToEventLoop();
    sliceStart = performance.now();
  }
  yield { text: transcode(Buffer.alloc(0), true).toString('latin1'), bytes, isLast: true };
}
