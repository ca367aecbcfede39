/** Dates the entries of a list that a row holds as JSON: when each came, and when it changed last. */
import type { Dates } from '@rdm/contracts';

/** An entry whose `said` stays keeps its dates; one that is new or says something else is dated by the event. */
export function withEntryDates<Entry extends object>(
  before: readonly (Entry & Partial<Dates>)[] | undefined,
  after: readonly (Entry & Partial<Dates>)[],
  { idOf, said: contentOf }: { idOf: (entry: Entry) => number; said: (entry: Entry) => unknown },
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
