/**
 * Stores the review states of rows. Rows that one event moves to the same state share one list of ids, so that a
 * decision on a thousand rows reads and writes only a few lists.
 */

import { insertRows, removeRows, type TableOf, type WriteContext } from '../../tables/rows.ts';
import type { ReviewState, Stage } from './review-recipients.ts';

interface SubmittedRow {
  stream: string;
  /** The seq of the event that created the list. */
  seq: number;
  /** The number of the list among the lists of the event. */
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

/** The query finds lists by at most this many ids. For more ids, it is cheaper to read all lists of the streams. */
const FIND_BY_ID_MAX = 8;

interface IdList {
  key: readonly [stream: string, seq: number, part: number];
  state: ReviewState;
  ids: Set<number>;
  /** Whether the list is in the table. */
  isStored: boolean;
  isChanged: boolean;
}

export interface ReviewStates {
  get(stream: string, id: number): ReviewState | undefined;
  /** Sets the states of a stream's rows after an event. A row whose state is undefined leaves its list. */
  move(stream: string, seq: number, moves: readonly { id: number; state: ReviewState | undefined }[]): void;
  /** Writes the changed lists. */
  write(): Promise<void>;
}

const nameOf = ({ userId, stage, served, batchId }: ReviewState): string => `${userId} ${stage} ${served} ${batchId}`;

/** Reads the review states of the touched rows, whose ids are given by stream. */
export async function readReviewStates(
  context: WriteContext,
  touched: ReadonlyMap<string, readonly number[]>,
): Promise<ReviewStates> {
  const streams = new Map<string, Map<number, IdList>>([...touched.keys()].map((stream) => [stream, new Map()]));
  const lists: IdList[] = [];
  const register = (list: IdList) => {
    lists.push(list);
    const listsById = streams.get(list.key[0]);
    for (const id of list.ids) listsById?.set(id, list);
  };
  for (const { stream, seq, part, user_id: userId, stage, served, batch_id: batchId, ids } of await read(
    context,
    touched,
  )) {
    const state = { userId, stage, served, batchId };
    register({ key: [stream, seq, part], state, ids: new Set(ids), isStored: true, isChanged: false });
  }

  return {
    get: (stream, id) => streams.get(stream)?.get(id)?.state,
    move(stream, seq, moves) {
      const newLists = new Map<string, IdList>();
      // Most rows of one event share a state object: compute its name once.
      const names = new Map<ReviewState, string>();
      const nameOnce = (state: ReviewState) => {
        const name = names.get(state) ?? nameOf(state);
        names.set(state, name);
        return name;
      };
      for (const { id, state } of moves) {
        const before = streams.get(stream)?.get(id);
        if (before) {
          if (state && nameOnce(state) === nameOnce(before.state)) continue;
          before.ids.delete(id);
          before.isChanged = true;
          streams.get(stream)?.delete(id);
        }
        if (!state) continue;
        const list = newLists.get(nameOnce(state));
        if (list) list.ids.add(id);
        else {
          const key = [stream, seq, newLists.size] as const;
          newLists.set(nameOnce(state), { key, state, ids: new Set([id]), isStored: false, isChanged: true });
        }
      }
      for (const list of newLists.values()) register(list);
    },
    async write() {
      const changed = lists.filter(({ isChanged }) => isChanged);
      await removeRows(
        context,
        submittedRows,
        changed.filter(({ isStored }) => isStored).map(({ key }) => key),
      );
      const rows = changed.filter(({ ids }) => ids.size > 0).map(rowOf);
      await insertRows(context, submittedRows.name, submittedRows.columns, rows);
    },
  };
}

const rowOf = ({ key: [stream, seq, part], state, ids }: IdList): SubmittedRow => ({
  stream,
  seq,
  part,
  user_id: state.userId,
  stage: state.stage,
  served: state.served,
  batch_id: state.batchId,
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
