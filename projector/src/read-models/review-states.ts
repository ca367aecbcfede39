/**
 * Table of who stands behind what is reviewed: rows of one stream that share a holder and a stage are one row, with
 * their ids as a list. A decision about a thousand of them reads and writes a few of these.
 */

import { insertRows, removeRows, type TableOf, type WriteContext } from '../tables/rows.ts';
import type { ReviewState, Stage } from './review-recipients.ts';

interface SubmittedRow {
  stream: string;
  /** The event that brought the ids here, and which of the lists that it made. */
  seq: number;
  part: number;
  user_id: number | null;
  stage: Stage;
  served: boolean;
  batch_id: string | null;
  ids: number[];
}

export const submittedRows: TableOf<SubmittedRow> = {
  name: 'submitted_rows',
  columns: {
    stream: 'text',
    seq: 'bigint',
    part: 'integer',
    user_id: 'bigint',
    stage: 'text',
    served: 'boolean',
    batch_id: 'text',
    ids: 'bigint[]',
  },
  key: ['stream', 'seq', 'part'],
};

/** For few ids the lists that hold them are looked for; for many it is cheaper to read all of their streams. */
const FIND_BY_ID_MAX = 8;

interface IdList {
  key: readonly [stream: string, seq: number, part: number];
  state: ReviewState;
  ids: Set<number>;
  /** It is in the table already. */
  isStored: boolean;
  isChanged: boolean;
}

export interface ReviewStates {
  get(stream: string, id: number): ReviewState | undefined;
  /** Brings rows of a stream to where an event left them. */
  move(stream: string, seq: number, moves: readonly { id: number; held: ReviewState | undefined }[]): void;
  /** Writes what was moved. */
  write(): Promise<void>;
}

const nameOf = ({ userId, stage, served, batchId }: ReviewState): string => `${userId} ${stage} ${served} ${batchId}`;

/** Reads who holds the rows with these ids. */
export async function readReviewStates(writing: WriteContext, touched: ReadonlyMap<string, readonly number[]>): Promise<ReviewStates> {
  const streams = new Map<string, Map<number, IdList>>([...touched.keys()].map((stream) => [stream, new Map()]));
  const lists: IdList[] = [];
  const register = (list: IdList) => {
    lists.push(list);
    const known = streams.get(list.key[0]);
    for (const id of list.ids) known?.set(id, list);
  };
  for (const { stream, seq, part, user_id: userId, stage, served, batch_id: batchId, ids } of await read(
    writing,
    touched,
  )) {
    const held = { userId, stage, served, batchId };
    register({ key: [stream, seq, part], state: held, ids: new Set(ids), isStored: true, isChanged: false });
  }

  return {
    get: (stream, id) => streams.get(stream)?.get(id)?.state,
    move(stream, seq, moves) {
      const newLists = new Map<string, IdList>();
      // Most that are moved together came from one list: what they are called is made up once for all of them.
      const names = new Map<ReviewState, string>();
      const nameOnce = (held: ReviewState) => {
        const name = names.get(held) ?? nameOf(held);
        names.set(held, name);
        return name;
      };
      for (const { id, held } of moves) {
        const before = streams.get(stream)?.get(id);
        if (before) {
          if (held && nameOnce(held) === nameOnce(before.state)) continue;
          before.ids.delete(id);
          before.isChanged = true;
          streams.get(stream)?.delete(id);
        }
        if (!held) continue;
        const list = newLists.get(nameOnce(held));
        if (list) list.ids.add(id);
        else {
          const key = [stream, seq, newLists.size] as const;
          newLists.set(nameOnce(held), { key, state: held, ids: new Set([id]), isStored: false, isChanged: true });
        }
      }
      for (const list of newLists.values()) register(list);
    },
    async write() {
      const changed = lists.filter(({ isChanged }) => isChanged);
      await removeRows(
        writing,
        submittedRows,
        changed.filter(({ isStored }) => isStored).map(({ key }) => key),
      );
      const rows = changed.filter(({ ids }) => ids.size > 0).map(rowOf);
      await insertRows(writing, submittedRows.name, submittedRows.columns, rows);
    },
  };
}

const rowOf = ({ key: [stream, seq, part], state: held, ids }: IdList): SubmittedRow => ({
  stream,
  seq,
  part,
  user_id: held.userId,
  stage: held.stage,
  served: held.served,
  batch_id: held.batchId,
  ids: [...ids],
});

async function read(
  { client, schema }: WriteContext,
  touched: ReadonlyMap<string, readonly number[]>,
): Promise<SubmittedRow[]> {
  const ids = [...touched.values()].flat();
  const isFew = ids.length <= FIND_BY_ID_MAX;
  const { rows } = await client.query<{ rows: SubmittedRow[] }>({
    name: `${isFew ? 'find' : 'read'} ${schema}.${submittedRows.name}`,
    text: `SELECT coalesce(json_agg(t ORDER BY stream, seq, part), '[]') AS rows FROM ${schema}.${submittedRows.name} t
            WHERE stream = ANY($1::text[])${isFew ? ' AND ids && $2::bigint[]' : ''}`,
    values: isFew ? [[...touched.keys()], ids] : [[...touched.keys()]],
  });
  return rows[0]?.rows ?? [];
}
