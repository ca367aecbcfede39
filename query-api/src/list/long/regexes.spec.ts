/** Tests slow regular expressions on 100,000 rows, and a user who sends many searches at once. */
import { describe, expect, it, vi } from 'vitest';
import { filtered } from '../../fixtures/service.ts';
import {
  INSTANCES_PATH,
  READER,
  readMeanwhile,
  requireAnswer,
  runningSearches,
  SEARCHERS,
  SLOW_BACK_REFERENCES,
  search,
  service,
  startServiceOfRows,
  USER_WITH_MANY_SEARCHES,
} from '../fixtures/regex-searches.ts';

/** Expressions that practically never end in other engines. */
const REGEXES = [
  '((((a{1,9}){1,9}){1,9}){1,9}){1,9}',
  ...(process.env['FAULTS'] === 'long'
    ? [
        SLOW_BACK_REFERENCES,
        '^(a|a)*$',
        '^(a|aa)+$',
        '(.*a){25}',
        '^(a*)*\\1b$',
        '^((a+)+)+\\2c$',
        '^(a|aa|aaa)*\\1\\1d$',
        '^(.*)(.*)(.*)(.*)\\4\\3\\2\\1e$',
        '^(?:(a+)(?:a+)\\1)+f$',
        '^(\\w+\\s?)*$',
        '([a-z]+)*=\\1',
      ]
    : []),
];

startServiceOfRows();

describe('a regular expression', () => {
  it.each(REGEXES.map((regex, index) => [regex, SEARCHERS[index]] as const))(
    '%s is answered, refused or cancelled, and other requests are answered meanwhile',
    requireAnswer,
  );

  /**
   * One search of the user runs and two wait; further searches are refused at once. PostgreSQL cancels the first two.
   * The user must then wait for four seconds, so the third search is refused.
   */
  it('of a user with many searches does not delay the search of another user', async () => {
    const many = Promise.all(Array.from({ length: 14 }, () => search(SLOW_BACK_REFERENCES, USER_WITH_MANY_SEARCHES)));
    await vi.waitFor(async () => expect(await runningSearches()).toHaveLength(1), { timeout: 10_000, interval: 10 });
    const ended: string[] = [];
    // The search of the reader covers few rows, so that the search is fast even on a busy machine.
    const few = [
      { field: 'code', operator: 'regex', value: '^a' },
      { field: 'id', operator: 'less_than', value: 10 },
    ];
    const otherUsersSearch = service
      .get(`${INSTANCES_PATH}?${filtered(...few)}`, READER)
      .finally(() => ended.push('search of the other user'));
    const manySearches = many.finally(() => ended.push('many searches'));
    const meanwhile = await readMeanwhile(manySearches);
    expect(meanwhile.failed).toBe(0);
    expect((await otherUsersSearch).status).toBe(200);
    expect(ended).toEqual(['search of the other user', 'many searches']);
    const answers = await many;
    expect(answers.map(({ status }) => status)).toEqual(Array(14).fill(429));
    const cancelled = answers.map(({ body }) => body.error).filter((error) => error.startsWith('This takes too long'));
    expect(cancelled.sort()).toEqual([
      'This takes too long: narrow the filter and try again',
      'This takes too long: narrow the filter and try again in 4 seconds',
    ]);
    expect(
      answers.filter(({ body }) => body.error?.startsWith('Your last regular expressions took too long')),
    ).not.toEqual([]);
  });
});
