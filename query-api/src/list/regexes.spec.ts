/** Tests slow regular expressions on 100,000 rows: long searches are cancelled, and other requests are answered. */
import { describe, expect, it } from 'vitest';
import {
  requireAnswer,
  SEARCHERS,
  SLOW_BACK_REFERENCES,
  search,
  startServiceOfRows,
} from './fixtures/regex-searches.ts';

/** Includes an expression that practically never ends in other engines. `npm run faults` runs a larger set of them. */
const REGEXES = ['^(a+)+$', '^(a+)+\\1$'];

startServiceOfRows();

describe('a regular expression', () => {
  it.each(REGEXES.map((regex, index) => [regex, SEARCHERS[index]] as const))(
    '%s is answered, refused or cancelled, and other requests are answered meanwhile',
    requireAnswer,
  );

  it('that backtracks is cancelled, and answered with 429', async () => {
    const { status, body } = await search(SLOW_BACK_REFERENCES);
    expect([status, body.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
  });
});
