/**
 * Read model of the change feed: one row per event that has a live change, for systems that resume from their last
 * position.
 */

import type { NumberedEvent } from '../engine/numbered-event.ts';
import type { Projection } from '../engine/projection.ts';
import { insertRows, type TableOf } from '../tables/rows.ts';
import { type LiveRow, liveChange, liveColumns } from './live-changes.ts';

/** A stored live change. The change feed reads the revisions from the row versions with the same `seq`. */
type ChangeRow = Omit<LiveRow, 'revisions'> & { at: string };

const { revisions: _, ...storedColumns } = liveColumns;

export const changeRows: TableOf<ChangeRow> = {
  name: 'changes',
  columns: { ...storedColumns, at: 'timestamptz' },
  key: ['seq'],
};

const rowOf = (event: NumberedEvent): ChangeRow[] => {
  const change = liveChange(event);
  return change ? [{ at: event.metadata.occurredAt, ...change }] : [];
};

export const changes: Projection = {
  name: 'changes',
  version: 1,
  categories: 'all',
  tables: [changeRows],
  async apply(context, events) {
    await insertRows(context, changeRows.name, changeRows.columns, events.flatMap(rowOf));
    return new Map();
  },
};
