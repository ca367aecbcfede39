/** Tests slow regular expressions on 100,000 rows: long searches are cancelled, and other requests are answered. */
import { describe, expect, it } from 'vitest';
import {
  requireAnswer,
  SEARCHERS,
  SLOW_BACK_REFERENCES,
  search,
  startServiceOfRows,
} from './fixtures/regex-searches.ts';

/** The first expression practically never ends in backtracking engines. `npm run faults` tests more expressions. */
const REGEXES = ['^(a+)+$', '^(a+)+\\1$'];

startServiceOfRows();

describe('a regular expression', () => {
  it.each(REGEXES.map((regex, index) => [regex, SEARCHERS[index]] as const))(
    '%s does not block other requests',
    requireAnswer,
  );

  it('that backtracks is cancelled, and answered with 429', async () => {
    const { status, body } = await search(SLOW_BACK_REFERENCES);
    expect([status, body.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
  });
});
