/** Reads from the events of a bucket which rows an import changed, their state before the import, and later edits. */
import { emptyInstanceBucket, type InstanceEvent, type InstanceRow, type RecordedEvent } from '@rdm/contracts';
import { kinds } from '../../runtime/stream-kinds.ts';
import { changedSince, isUndone, type LaterChange, REFERENCED, type UndoneRow } from './decider.ts';

/** A row that an import changed and that is not in the same state as before the import. */
export interface ImportedRow {
  now: InstanceRow;
  /** The row before the import; undefined if the import added it. */
  before: InstanceRow | undefined;
  /** The last change of the row by another command or job after the import; undefined if there is none. */
  edited: LaterChange | undefined;
}

/** Returns the rows that the import changed, as of `lastRevision`. Omits rows with the state before the import. */
export async function importedRows(
  events: AsyncIterable<RecordedEvent>,
  jobId: number,
  lastRevision = Number.POSITIVE_INFINITY,
): Promise<ImportedRow[]> {
  const bucket = emptyInstanceBucket();
  const importedById = new Map<number, Omit<ImportedRow, 'now'>>();
  for await (const recorded of events) {
    if (recorded.revision > lastRevision) break;
    const event = recorded as RecordedEvent & InstanceEvent;
    const eventJobId = 'jobId' in event.data ? event.data.jobId : undefined;
    const isOfImport = eventJobId === jobId;
    for (const id of kinds.instances.rowsOf.idsOf(event)) {
      const row = importedById.get(id);
      if (isOfImport && !row) importedById.set(id, { before: bucket.rows.get(id), edited: undefined });
      else if (!isOfImport && row) {
        row.edited = { userId: event.metadata.actorId, at: event.metadata.occurredAt, jobId: eventJobId };
      }
    }
    kinds.instances.evolve(bucket, event);
  }
  return [...importedById].flatMap(([id, row]) => {
    const now = bucket.rows.get(id);
    return now && !isUndone(now, row.before) ? [{ now, ...row }] : [];
  });
}

/** Plans the undo of a row. Rows that were edited later stay, as do referenced rows that the undo would remove. */
export function planRow({ now, before, edited }: ImportedRow, isReferenced: (row: InstanceRow) => boolean): UndoneRow {
  const row = { id: now.id, before, revision: now.revision };
  if (edited) return { ...row, keep: changedSince(edited) };
  return (before === undefined || before.removed) && isReferenced(now) ? { ...row, keep: REFERENCED } : row;
}
