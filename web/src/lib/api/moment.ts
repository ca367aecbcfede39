/**
 * Looking at the past: the page's address says `asOf`, and every read that has a past is asked as of it. What a query
 * asks belongs to the moment that its cache was made for, wherever the address has gone meanwhile.
 */
import { LEVELS, type Level } from '@rdm/contracts/access/permissions';

/** An ISO instant or `seq:<number>`; undefined is the present. */
export type Moment = string | undefined;

const PARAMETER = 'asOf';

export const momentIn = (search: string): Moment => new URLSearchParams(search).get(PARAMETER) || undefined;

/** What the page looks at. */
export const pageMoment = (): Moment => momentIn(window.location.search);

/** `asOf` as an address says it. */
const said = (moment: string): string => `${PARAMETER}=${encodeURIComponent(moment).replaceAll('%3A', ':')}`;

const joined = (address: string, more: string): string => `${address}${address.includes('?') ? '&' : '?'}${more}`;

/** The same search at another moment. The rest stays as it is written: lists tell by it whether they changed. */
export function searchAt(search: string, moment: Moment): string {
  const rest = search
    .replace(/^\?/, '')
    .split('&')
    .filter((part) => part !== '' && part.split('=')[0] !== PARAMETER)
    .join('&');
  const at = rest === '' ? '' : `?${rest}`;
  return moment === undefined ? at : joined(at, said(moment));
}

/** The same search for a link to the present, which would stay in the past without saying so. */
export const searchNow = (search: string): string => joined(searchAt(search, undefined), `${PARAMETER}=`);

/** Links stay in the moment that the page looks at, unless they name another: `asOf=` alone is the present. */
export const keptIn = (search: string, moment: Moment): string =>
  new URLSearchParams(search).has(PARAMETER) ? searchAt(search, momentIn(search)) : searchAt(search, moment);

let asking: { of: Moment } | undefined;

/** Calls what asks for the data of a moment: reads that it begins are asked as of it. */
export function askedAsOf<Result>(of: Moment, ask: () => Result): Result {
  const before = asking;
  asking = { of };
  try {
    return ask();
  } finally {
    asking = before;
  }
}

const isBelow = (path: string, parents: readonly string[]): boolean =>
  parents.some((parent) => path === parent || path.startsWith(`${parent}/`));

/** Who there is, and what one keeps for oneself: told as of today beside any past. What else has none, the server refuses. */
const TIMELESS = [
  '/api/user',
  '/api/users',
  '/api/auth',
  '/api/notifications',
  '/api/saved-filters',
  '/api/filter-configurations',
  '/api/moment',
];

/** The moment that a read of this path is asked as of. */
export function momentOfRead(path: string): Moment {
  if (isBelow(path, TIMELESS)) return undefined;
  return asking === undefined ? pageMoment() : asking.of;
}

/** The address of a file, as of what the page looks at. */
export function fileAsOf(url: string): string {
  const moment = momentOfRead(url.split('?')[0] ?? url);
  return moment === undefined ? url : joined(url, said(moment));
}

/** What is changed beside any past: one's own session, filters and notifications. */
const ONES_OWN = [
  '/api/login',
  '/api/logout',
  '/api/session',
  '/api/change-password',
  '/api/notifications',
  '/api/saved-filters',
];

export const PAST_IS_READ_ONLY = 'The past is read-only: go back to now to change anything';

/** Whether the past that the page shows forbids to write there. */
export const isReadOnlyNow = (path: string): boolean => pageMoment() !== undefined && !isBelow(path, ONES_OWN);

const READER: Level = 'READ';

function asReader(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || !('level' in row)) return row;
  return LEVELS.includes(row.level as Level) ? { ...row, level: READER } : row;
}

/**
 * An answer about the past, whose things may be read, whatever one may do to them today: pages offer what the levels
 * in it allow. Levels stand beside the fields of a view, never among the cells of a row.
 */
export function ofReader<Body>(body: Body): Body {
  if (Array.isArray(body)) return body.map(asReader) as Body;
  if (typeof body !== 'object' || body === null) return body;
  const { items } = body as { items?: unknown };
  return asReader(Array.isArray(items) ? { ...body, items: items.map(asReader) } : body) as Body;
}
