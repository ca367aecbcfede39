/**
 * Places in lists that were looked at: where a page begins is found again without counting the rows before it, for as
 * long as no row of the list has changed (docs/decisions/0023).
 */
import { hash } from 'node:crypto';
import { type Sql, statement } from '../read-models/sql.ts';

/** The row that so many rows end with: what comes after it begins the page at that offset. */
export interface Bookmark {
  offset: number;
  id: string;
  /** What the list is sorted by, as texts; null for a row without a value, or where the id alone sorts. */
  values: readonly string[] | null;
}

export interface RememberedList {
  /** What the list's version was. */
  version: string;
  total: number | undefined;
  marks: Bookmark[];
}

const LISTS = 100;
const MARKS_PER_LIST = 200;

export interface Bookmarks {
  of(list: string): RememberedList | undefined;
  /** Adds what a page showed; what another version showed is forgotten. */
  keep(list: string, seen: RememberedList): void;
}

/** The name of a list: what it selects from which build, and in which order. */
export function listName(query: Sql): string {
  const { text, values } = statement(query);
  return hash('sha256', JSON.stringify([text, values]), 'base64');
}

/** The last mark that is not behind an offset. */
export const nearest = ({ marks }: RememberedList, offset: number): Bookmark | undefined =>
  marks.reduce<Bookmark | undefined>(
    (best, mark) => (mark.offset <= offset && mark.offset > (best?.offset ?? 0) ? mark : best),
    undefined,
  );

export function openBookmarks(): Bookmarks {
  const lists = new Map<string, RememberedList>();
  return {
    of(list) {
      const known = lists.get(list);
      if (known) {
        // Asked for last: forgotten last.
        lists.delete(list);
        lists.set(list, known);
      }
      return known;
    },
    keep(list, seen) {
      const known = lists.get(list);
      const same = known?.version === seen.version ? known : undefined;
      const offsets = new Set(seen.marks.map(({ offset }) => offset));
      const others = same?.marks.filter(({ offset }) => !offsets.has(offset)) ?? [];
      lists.delete(list);
      lists.set(list, {
        version: seen.version,
        total: seen.total ?? same?.total,
        marks: [...others, ...seen.marks].slice(-MARKS_PER_LIST),
      });
      const [oldest] = lists.keys();
      if (lists.size > LISTS && oldest !== undefined) lists.delete(oldest);
    },
  };
}
