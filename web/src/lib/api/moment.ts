/**
 * Reads the past: sends the parameter `asOf` of the page's URL with each read, except reads of `CURRENT_PATHS`. A query
 * sends the moment of its query client, even if the URL has changed.
 */
import { LEVELS, type Level } from '@rdm/contracts/access/permissions';

/** An ISO instant or `seq:<number>`; undefined is the present. */
export type Moment = string | undefined;

const PARAMETER = 'asOf';

export const momentIn = (search: string): Moment => new URLSearchParams(search).get(PARAMETER) || undefined;

/** The moment in the URL of the page. */
export const pageMoment = (): Moment => momentIn(window.location.search);

/** Formats a moment as the query parameter `asOf`. */
const momentParameter = (moment: string): string => `${PARAMETER}=${encodeURIComponent(moment).replaceAll('%3A', ':')}`;

const appendQuery = (address: string, more: string): string => `${address}${address.includes('?') ? '&' : '?'}${more}`;

/**
 * Sets the moment of a query string. Other parameters are not encoded again, because lists compare query strings to
 * detect changes.
 */
export function searchAt(search: string, moment: Moment): string {
  const otherParameters = search
    .replace(/^\?/, '')
    .split('&')
    .filter((part) => part !== '' && part.split('=')[0] !== PARAMETER)
    .join('&');
  const withoutMoment = otherParameters === '' ? '' : `?${otherParameters}`;
  return moment === undefined ? withoutMoment : appendQuery(withoutMoment, momentParameter(moment));
}

/** Sets a query string to the present. The empty `asOf` prevents `keepMoment` from adding the moment of the page. */
export const searchNow = (search: string): string => appendQuery(searchAt(search, undefined), `${PARAMETER}=`);

/** Adds the moment of the page to a link, unless the link itself sets a moment. An empty `asOf=` sets the present. */
export const keepMoment = (search: string, moment: Moment): string =>
  new URLSearchParams(search).has(PARAMETER) ? searchAt(search, momentIn(search)) : searchAt(search, moment);

let currentQuery: { moment: Moment } | undefined;

/** Calls `run`. Reads that `run` starts synchronously are sent as of `moment`. */
export function runAsOf<Result>(moment: Moment, run: () => Result): Result {
  const before = currentQuery;
  currentQuery = { moment };
  try {
    return run();
  } finally {
    currentQuery = before;
  }
}

const isBelow = (path: string, parents: readonly string[]): boolean =>
  parents.some((parent) => path === parent || path.startsWith(`${parent}/`));

/**
 * The paths whose reads never get the moment of the page: these records are always current, and callers of
 * `/api/moment` pass their own `asOf`. The server refuses `asOf` for other paths without a past.
 */
const CURRENT_PATHS = [
  '/api/user',
  '/api/users',
  '/api/auth',
  '/api/notifications',
  '/api/saved-filters',
  '/api/filter-configurations',
  '/api/moment',
  '/api/search',
];

/** The moment to send with a read of this path. */
export function momentOfRead(path: string): Moment {
  if (isBelow(path, CURRENT_PATHS)) return undefined;
  return currentQuery === undefined ? pageMoment() : currentQuery.moment;
}

/** The URL of a file, as of the moment of the page. */
export function fileAsOf(url: string): string {
  const moment = momentOfRead(url.split('?')[0] ?? url);
  return moment === undefined ? url : appendQuery(url, momentParameter(moment));
}

/** Paths that can be written while the page shows the past: session, password, saved filters and notifications. */
const WRITABLE_PATHS = [
  '/api/login',
  '/api/logout',
  '/api/session',
  '/api/change-password',
  '/api/notifications',
  '/api/saved-filters',
];

export const PAST_IS_READ_ONLY = 'The past is read-only: go back to now to change anything';

/** Whether the page shows the past and the path is therefore read-only. */
export const isReadOnlyNow = (path: string): boolean => pageMoment() !== undefined && !isBelow(path, WRITABLE_PATHS);

const LEVEL_IN_PAST: Level = 'READ';

function lowerLevel(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || !('level' in row)) return row;
  return LEVELS.includes(row.level as Level) ? { ...row, level: LEVEL_IN_PAST } : row;
}

/** Lowers the access levels of views in a response about the past to READ, so that pages offer no changes. */
export function withReadLevel<Body>(body: Body): Body {
  if (Array.isArray(body)) return body.map(lowerLevel) as Body;
  if (typeof body !== 'object' || body === null) return body;
  const { items } = body as { items?: unknown };
  return lowerLevel(Array.isArray(items) ? { ...body, items: items.map(lowerLevel) } : body) as Body;
}
