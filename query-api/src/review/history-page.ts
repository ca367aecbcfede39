/** Makes pages of a history from all versions, because an entry has the differences from the previous version. */
import type { HistoryQuery, Page } from '@rdm/contracts';
import type { ApiAnswer } from '@rdm/platform';
import { answer, type ReadResult } from '../read-models/read-models.ts';

/** Returns a page with the latest entry first; throws 404 if there are no versions. */
export function toHistoryPage<Version, Entry>(
  result: ReadResult<Version>,
  { page, pageSize }: HistoryQuery,
  entryOf: (version: Version, before: Version | undefined) => Entry,
): ApiAnswer {
  result.one();
  const newestFirst = result.rows.map((version, index) => () => entryOf(version, result.rows[index - 1])).reverse();
  const items = newestFirst.slice((page - 1) * pageSize, page * pageSize).map((entry) => entry());
  const body: Page<Entry> = { items, page, pageSize, total: newestFirst.length, position: result.shownPosition };
  return answer(result, body);
}
