/** Read model of the change feed: what happened to what, one row per event, for systems that read on from where they stopped. */

import type { NumberedEvent } from '../engine/numbered-event.ts';
import type { Projection } from '../engine/projection.ts';
import { insertRows, type TableOf } from '../tables/rows.ts';
import { type LiveRow, liveChange, liveColumns } from './live-changes.ts';

/** A live change that is kept. The rows' revisions are in the histories of the other read models, by the same seq. */
type ChangeRow = Omit<LiveRow, 'revisions'> & { at: string };

const { revisions: _, ...told } = liveColumns;

export const changeRows: TableOf<ChangeRow> = {
  name: 'changes',
  columns: { ...told, at: 'timestamptz' },
  key: ['seq'],
};

const rowOf = (event: NumberedEvent): ChangeRow[] => {
  const change = liveChange(event);
  return change ? [{ ...change, at: event.metadata.occurredAt }] : [];
};

export const changes: Projection = {
  name: 'changes',
  version: 1,
  categories: 'all',
  tables: [changeRows],
  async apply(writing, events) {
    await insertRows(writing, changeRows.name, changeRows.columns, events.flatMap(rowOf));
    return new Map();
  },
};
