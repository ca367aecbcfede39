/**
 * Writes many rows in chunks, with a result for each row. A chunk whose request failed can be sent again with the same
 * idempotency key.
 */
import type { Outcome } from '../../../components/row-outcomes/index.tsx';
import { newKey } from '../../../lib/api/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { addInstances, changeInstances, type InstanceOutcome, type RowData } from '../api/instances.ts';
import type { ChangedCells, Step, StepRow } from './undo/history.ts';

/** The maximum number of rows in a chunk: small enough to show progress, and large enough to need few requests. */
const CHUNK_ROWS = 500;

/** A row to write. A new row has neither id nor revision. */
export interface RowToWrite {
  id: number | null;
  revision: number | null;
  key: string;
  data: RowData;
  before: RowData;
}

export interface WriteChunk {
  /** The idempotency key of the chunk, so that a chunk that is sent again is not written twice. */
  idempotencyKey: string;
  rows: RowToWrite[];
}

export interface WriteResult {
  step: Pick<Step, 'cells' | 'added'>;
  /** The rows that the server refused or omitted from its response, with the reasons. */
  refused: Outcome[];
  /** The chunks whose request failed. The server may have written these chunks. */
  unconfirmed: WriteChunk[];
  /** The error of the last unconfirmed chunk. */
  unconfirmedReason: string | undefined;
}

export function chunksOf(rows: readonly RowToWrite[]): WriteChunk[] {
  const chunks: WriteChunk[] = [];
  for (const rowsOfKind of [rows.filter(({ id }) => id === null), rows.filter(({ id }) => id !== null)]) {
    for (let start = 0; start < rowsOfKind.length; start += CHUNK_ROWS) {
      chunks.push({ idempotencyKey: newKey(), rows: rowsOfKind.slice(start, start + CHUNK_ROWS) });
    }
  }
  return chunks;
}

function send(dataSetId: number, { idempotencyKey, rows }: WriteChunk): Promise<readonly InstanceOutcome[]> {
  if (rows[0]?.id === null) {
    return addInstances(
      dataSetId,
      rows.map(({ data }) => ({ data })),
      idempotencyKey,
    );
  }
  const changes = rows.map(({ id, revision, data }) => ({ id: id ?? 0, revision: revision ?? 0, data }));
  return changeInstances(dataSetId, changes, idempotencyKey);
}

export async function writeChunks(
  dataSetId: number,
  chunks: readonly WriteChunk[],
  onProgress: (rows: number) => void,
): Promise<WriteResult> {
  const cells: ChangedCells[] = [];
  const added: StepRow[] = [];
  const refused: Outcome[] = [];
  const unconfirmed: WriteChunk[] = [];
  let unconfirmedReason: string | undefined;
  let sentCount = 0;
  for (const chunk of chunks) {
    try {
      const results = await send(dataSetId, chunk);
      const isNew = chunk.rows[0]?.id === null;
      const resultsByRow = new Map(
        results.map((result, index) => [isNew ? (result.index ?? index) : result.id, result]),
      );
      chunk.rows.forEach((row, index) => {
        const result = resultsByRow.get(row.id ?? index);
        if (result?.outcome !== 'done') {
          refused.push({
            id: `${row.id ?? 'new'} ${row.key}`,
            label: row.key,
            outcome: 'refused',
            message: result?.message ?? 'The server did not confirm the change of this row',
          });
        } else if (row.id === null) {
          added.push({ id: result.id, key: row.key, revision: result.revision ?? 1, data: row.data });
        } else cells.push({ id: row.id, key: row.key, before: row.before, after: row.data });
      });
    } catch (error) {
      unconfirmed.push(chunk);
      unconfirmedReason = messageOf(error);
    }
    sentCount += chunk.rows.length;
    onProgress(sentCount);
  }
  return { step: { cells, added }, refused, unconfirmed, unconfirmedReason };
}
