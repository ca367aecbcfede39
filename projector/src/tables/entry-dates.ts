/** Adds creation and change dates to the entries of a list that a row stores as JSON. */
import type { Dates } from '@rdm/contracts';

/** An entry with the same `contentOf` keeps its dates; a new or changed one is dated by the event. */
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
