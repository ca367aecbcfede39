/** Groups rows or records into entries of at most ENTRY_SIZE bytes. A longer row or record gets a separate entry. */
import { ENTRY_SIZE } from './entries.ts';

export interface EntryContent {
  content: Buffer;
  rows: number;
}

/** Groups the rows of COPY text, which arrives in pieces of any length. Each row ends with a line feed. */
export async function* groupRows(pieces: AsyncIterable<Buffer>, size = ENTRY_SIZE): AsyncGenerator<EntryContent> {
  let pending: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    pending.push(piece);
    length += piece.length;
    if (length < size || !piece.includes(LINE_FEED)) continue;
    let bytes = Buffer.concat(pending);
    for (let end = endOfEntry(bytes, size); end > 0 && bytes.length >= size; end = endOfEntry(bytes, size)) {
      yield entryOf(bytes.subarray(0, end));
      bytes = bytes.subarray(end);
    }
    pending = [bytes];
    length = bytes.length;
  }
  if (length > 0) yield entryOf(Buffer.concat(pending));
}

/** Returns a group to which encoded records are added. */
export function recordGroup(size = ENTRY_SIZE) {
  let pending: Buffer[] = [];
  let length = 0;
  const take = (): EntryContent | undefined => {
    if (pending.length === 0) return undefined;
    const taken = { content: Buffer.concat(pending), rows: pending.length };
    pending = [];
    length = 0;
    return taken;
  };
  return {
    /** Adds a record. Returns the previous entry if the record begins a new one. */
    add(record: Buffer): EntryContent | undefined {
      const complete = length + record.length > size ? take() : undefined;
      pending.push(record);
      length += record.length;
      return complete;
    },
    /** Removes and returns the current entry; undefined if it has no records. */
    take,
  };
}

const LINE_FEED = 0x0a;

/** Returns the end of the last row that fits, or of the first row if it does not fit; 0 if no row is complete. */
function endOfEntry(bytes: Buffer, size: number): number {
  const last = bytes.lastIndexOf(LINE_FEED, size - 1);
  return (last >= 0 ? last : bytes.indexOf(LINE_FEED, size)) + 1;
}

const entryOf = (content: Buffer): EntryContent => ({ content, rows: countRows(content) });

export function countRows(content: Buffer): number {
  let rows = 0;
  for (let at = content.indexOf(LINE_FEED); at >= 0; at = content.indexOf(LINE_FEED, at + 1)) rows += 1;
  return rows;
}
