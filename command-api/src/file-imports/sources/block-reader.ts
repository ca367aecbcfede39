/** Reads small ranges of a file from a cached block, because each read of a staged file is a query. */
import type { FileBytes } from './source.ts';

export type ReadRange = (position: number, length: number) => Promise<Buffer>;

/** Returns a function that reads a range. At the end of the file, the function returns fewer bytes. */
export function blockReader(file: Pick<FileBytes, 'range'>, blockBytes: number): ReadRange {
  let from = 0;
  let block: Buffer = Buffer.alloc(0);
  return async (position, length) => {
    if (position < from || position + length > from + block.length) {
      block = await file.range(position, Math.max(length, blockBytes));
      from = position;
    }
    return block.subarray(position - from, position - from + length);
  };
}
