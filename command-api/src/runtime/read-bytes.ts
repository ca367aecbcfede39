/** Reads columns of bytes with a binary COPY: a normal result has two hexadecimal digits for each byte. */
import type { Pool } from '@rdm/platform';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';

/** The bytes before the first row: signature, flags and length of the extension. */
const HEADER_BYTES = 19;

/**
 * Returns the columns of the first row of a query: the bytes of a `bytea`, and the UTF-8 bytes of a text. Returns
 * undefined if there is no row. Columns must not be NULL.
 */
export async function readBytes(
  pool: Pool,
  select: string,
  values: readonly (string | number)[],
): Promise<Buffer[] | undefined> {
  const client = await pool.connect();
  let bytes: Buffer;
  try {
    // COPY accepts no parameters, so the query contains the values as literals.
    const query = select.replace(/\$(\d+)/g, (_, number) => pg.escapeLiteral(String(values[number - 1])));
    const chunks: Buffer[] = [];
    for await (const chunk of client.query(copyTo(`COPY (${query}) TO STDOUT (FORMAT binary)`))) chunks.push(chunk);
    bytes = Buffer.concat(chunks);
  } catch (error) {
    client.release(error as Error);
    throw error;
  }
  client.release();
  let at = HEADER_BYTES + 2;
  const columns: Buffer[] = [];
  // After the last row, the number of columns is -1.
  for (let count = bytes.readInt16BE(HEADER_BYTES); count > 0; count--) {
    const end = at + 4 + bytes.readInt32BE(at);
    columns.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return columns.length === 0 ? undefined : columns;
}
