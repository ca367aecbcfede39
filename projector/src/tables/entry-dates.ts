/** Sets the creation and change dates of rows, and of list entries that rows store as JSON. */
import type { Dates, DomainEvent } from '@rdm/contracts';
import type { NumberedEvent } from '../engine/numbered-event.ts';

/** Returns the dates of a row; each event counts as a change. */
export const rowDates = (row: { created_at: string } | undefined, { metadata }: NumberedEvent<DomainEvent>) => ({
  created_at: row?.created_at ?? metadata.occurredAt,
  updated_at: metadata.occurredAt,
});

/** Returns the dates and the last user of a row; only an event with a new revision counts as a change. */
export function revisedDates(
  row: { revision: number; created_at: string; updated_at: string; updated_by: number | null } | undefined,
  state: { revision: number },
  event: NumberedEvent<DomainEvent>,
) {
  if (row?.revision === state.revision) {
    return { created_at: row.created_at, updated_at: row.updated_at, updated_by: row.updated_by };
  }
  return { ...rowDates(row, event), updated_by: event.metadata.actorId };
}

/**
 * Adds dates to entries. A new entry is created and changed at `at`, the time of the event. A different `contentOf`
 * counts as a change.
 */
export function withEntryDates<Entry extends object>(
  before: readonly (Entry & Partial<Dates>)[] | undefined,
  after: readonly (Entry & Partial<Dates>)[],
  { idOf, contentOf }: { idOf: (entry: Entry) => number; contentOf: (entry: Entry) => unknown },
  at: string,
): (Entry & Dates)[] {
  const previousById = new Map(before?.map((entry) => [idOf(entry), entry]));
  return after.map((entry) => {
    const previous = previousById.get(idOf(entry));
    const isSame = previous !== undefined && JSON.stringify(contentOf(previous)) === JSON.stringify(contentOf(entry));
    return {
      ...entry,
      createdAt: previous?.createdAt ?? at,
      updatedAt: isSame ? (previous.updatedAt ?? at) : at,
    };
  });
}
