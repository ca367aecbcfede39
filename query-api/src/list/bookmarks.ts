/**
 * Caches where pages of lists start. Until a row of a list changes, its pages are found without counting the rows
 * before them (docs/decisions/0023).
 */
import { hash } from 'node:crypto';
import { type Sql, toStatement } from '../read-models/sql.ts';

/** The last row before an offset: the page at that offset starts after it. */
export interface Bookmark {
  offset: number;
  id: string;
  /** The sort values of the row as texts; null if the row has no value, or if the list is sorted by id alone. */
  values: readonly string[] | null;
}

export interface BookmarkedList {
  /** The bookmarks are valid for this version of the rows. */
  version: string;
  total: number | undefined;
  marks: Bookmark[];
}

const LISTS_MAX = 100;
const BOOKMARKS_PER_LIST = 200;

export interface Bookmarks {
  get(list: string): BookmarkedList | undefined;
  /** Adds the bookmarks of a page; drops bookmarks of other versions of the list. */
  remember(list: string, page: BookmarkedList): void;
}

/** Returns the name of a list: a hash of its SQL, which includes the schema of the build and the order. */
export function listName(query: Sql): string {
  const { text, values } = toStatement(query);
  return hash('sha256', JSON.stringify([text, values]), 'base64');
}

/** Returns the last bookmark at or before an offset. */
export const nearestBookmark = ({ marks }: BookmarkedList, offset: number): Bookmark | undefined =>
  marks.reduce<Bookmark | undefined>(
    (best, mark) => (mark.offset <= offset && mark.offset > (best?.offset ?? 0) ? mark : best),
    undefined,
  );

export function openBookmarks(): Bookmarks {
  const lists = new Map<string, BookmarkedList>();
  return {
    get(list) {
      const bookmarked = lists.get(list);
      if (bookmarked) {
        // Move the list to the end: the least recently used list is dropped first.
        lists.delete(list);
        lists.set(list, bookmarked);
      }
      return bookmarked;
    },
    remember(list, page) {
      const stored = lists.get(list);
      const current = stored?.version === page.version ? stored : undefined;
      const offsets = new Set(page.marks.map(({ offset }) => offset));
      const others = current?.marks.filter(({ offset }) => !offsets.has(offset)) ?? [];
      lists.delete(list);
      lists.set(list, {
        version: page.version,
        total: page.total ?? current?.total,
        marks: [...others, ...page.marks].slice(-BOOKMARKS_PER_LIST),
      });
      const [oldest] = lists.keys();
      if (lists.size > LISTS_MAX && oldest !== undefined) lists.delete(oldest);
    },
  };
}
