/** Writes many rows in chunks with a result for each row; a lost chunk can be sent again with the same idempotency key. */
import type { Outcome } from '../../../components/row-outcomes/index.tsx';
import { newKey } from '../../../lib/api/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { addInstances, changeInstances, type InstanceOutcome, type RowData } from '../api/instances.ts';
import type { ChangedCells, Step, StepRow } from './undo/history.ts';

/** The number of rows in a chunk: few enough to show progress, and enough that ten thousand rows need few requests. */
const CHUNK_ROWS = 500;

/** A row to write; a new row has no id. */
export interface RowToWrite {
  id: number | null;
  revision: number | null;
  key: string;
  data: RowData;
  before: RowData;
}

export interface WriteChunk {
  /** The idempotency key of the chunk: if the chunk is sent again, its rows are not written twice. */
  idempotencyKey: string;
  rows: RowToWrite[];
}

export interface WriteResult {
  step: Pick<Step, 'cells' | 'added'>;
  /** The rows that the server refused, with its reasons. */
  refused: Outcome[];
  /** The chunks for which no response arrived. */
  unsent: WriteChunk[];
  why: string | undefined;
}

export function chunksOf(rows: readonly RowToWrite[]): WriteChunk[] {
  const chunks: WriteChunk[] = [];
  for (const sameKind of [rows.filter(({ id }) => id === null), rows.filter(({ id }) => id !== null)]) {
    for (let at = 0; at < sameKind.length; at += CHUNK_ROWS) {
      chunks.push({ idempotencyKey: newKey(), rows: sameKind.slice(at, at + CHUNK_ROWS) });
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
  const unsent: WriteChunk[] = [];
  let why: string | undefined;
  let done = 0;
  for (const chunk of chunks) {
    try {
      const results = await send(dataSetId, chunk);
      const isNew = chunk.rows[0]?.id === null;
      const answers = new Map(results.map((result, index) => [isNew ? (result.index ?? index) : result.id, result]));
      chunk.rows.forEach((row, index) => {
        const answer = answers.get(row.id ?? index);
        if (answer?.outcome !== 'done') {
          refused.push({
            id: `${row.id ?? 'new'} ${row.key}`,
            label: row.key,
            outcome: 'refused',
            message: answer?.message ?? 'The server did not confirm this row',
          });
        } else if (row.id === null) {
          added.push({ id: answer.id, key: row.key, revision: answer.revision ?? 1, data: row.data });
        } else cells.push({ id: row.id, key: row.key, before: row.before, after: row.data });
      });
    } catch (error) {
      unsent.push(chunk);
      why = messageOf(error);
    }
    done += chunk.rows.length;
    onProgress(done);
  }
  return { step: { cells, added }, refused, unsent, why };
}
