/** Tests slow regular expressions on 100,000 rows: they are cancelled with a message, and other requests run meanwhile. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { tableOf } from '../fixtures/database.ts';
import { ADMIN, collection, filtered, registered, type SpecService, startService } from '../fixtures/service.ts';

const ROWS = 100_000;
const FIELD = { fieldId: 1, name: 'code', dataType: 'string', isPrimaryKey: true, retired: false, referencedBy: [] };

/** This expression is slow in PostgreSQL, because PostgreSQL backtracks when an expression has back-references. */
const SLOW_BACK_REFERENCES = '^(.+)(.+)(.+)(.+)(.+)(.+)\\1\\2\\3\\4\\5\\6$';
/** Includes expressions that practically never end in other engines. `npm run faults` runs a larger set of them. */
const REGEXES = [
  '^(a+)+$',
  '^(a+)+\\1$',
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

const READER = 7;
const USER_WITH_MANY_SEARCHES = 8;
/** One user for each expression, because a user whose searches were cancelled has to wait. */
const SEARCHERS = REGEXES.map((_, index) => 100 + index);
let service: SpecService;

beforeAll(async () => {
  service = await startService();
  const users = [READER, USER_WITH_MANY_SEARCHES, ...SEARCHERS];
  const grants = Object.fromEntries(users.map((user) => [user, 'READ' as const]));
  service.grant(...users.map((user) => registered(user, 4)), ...collection(1, [1], grants));
  const { pool } = service.database;
  await pool.query(
    `INSERT INTO ${tableOf('reference_data_types')} (id, name, fields, valid_from) VALUES (1, 'Code', $1, 2)`,
    [JSON.stringify([FIELD])],
  );
  await pool.query(`
    INSERT INTO ${tableOf('reference_data_sets')} (id, name, type_id, key_field_ids, created_by, valid_from)
      VALUES (1, 'Codes', 1, '{1}', 1, 2);
    INSERT INTO ${tableOf('data_set_counts')} (data_set_id, instances) VALUES (1, ${ROWS});
    INSERT INTO ${tableOf('instances')} (data_set_id, id, key, data)
      SELECT 1, n, '["' || n || '"]', jsonb_build_object('1', repeat('a', 30 + n % 20) || '!' || md5(n::text) || md5((-n)::text)) FROM generate_series(1, ${ROWS}) n;
    ANALYZE ${tableOf('instances')}`);
}, 60_000);
afterAll(() => service.stop());

const instances = '/api/reference-data/1/instances';
const search = (value: string, as = ADMIN) =>
  service.get(`${instances}?${filtered({ field: 'code', operator: 'regex', value })}`, as);

/** Returns the searches that PostgreSQL still runs: it reports a cancellation slightly before the statement has stopped. */
async function searching(): Promise<string[]> {
  const { rows } = await service.database.pool.query<{ query: string }>(
    `SELECT query FROM pg_stat_activity WHERE application_name = 'query-api-regex' AND state = 'active'`,
  );
  return rows.map(({ query }) => query);
}

/** Reads a page repeatedly until the promise settles; returns the numbers of successful and failed reads. */
async function readMeanwhile(during: Promise<unknown>): Promise<{ successful: number; failed: number }> {
  let done = false;
  const finished = during.finally(() => {
    done = true;
  });
  const counts = { successful: 0, failed: 0 };
  while (!done) {
    const { status } = await service.get(`${instances}?pageSize=10`, ADMIN);
    if (status === 200) counts.successful += 1;
    else counts.failed += 1;
  }
  await finished;
  return counts;
}

describe('a regular expression', () => {
  it.each(REGEXES.map((regex, index) => [regex, SEARCHERS[index]] as const))(
    '%s is answered, refused or cancelled, and other requests are answered meanwhile',
    async (regex, user) => {
      const searched = search(regex, user);
      const meanwhile = await readMeanwhile(searched);
      const { status, body } = await searched;
      if (status === 200) expect(body.items).toBeInstanceOf(Array);
      else if (status === 400) expect(body.error).toMatch(/not a regular expression|is too complex/);
      else expect([status, body.error]).toEqual([429, 'This takes too long: narrow the filter and try again']);
      expect(meanwhile).toEqual({ successful: expect.any(Number), failed: 0 });
      expect(meanwhile.successful).toBeGreaterThan(0);
      await vi.waitFor(async () => expect(await searching()).toEqual([]), { timeout: 30_000, interval: 10 });
    },
  );

  it('that backtracks is cancelled by PostgreSQL after two seconds', async () => {
    const { status, body } = await search(SLOW_BACK_REFERENCES);
    expect([status, body.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
  });

  /**
   * A user may have three regular expressions that run or wait, so all further ones are refused at once. PostgreSQL cancels the first two
   * that run. After the second cancellation, the user has to wait for four seconds, and the third one is refused, too.
   */
  it('does not delay the search of another user, and is refused while its user has three searches or has to wait', async () => {
    const many = Promise.all(Array.from({ length: 14 }, () => search(SLOW_BACK_REFERENCES, USER_WITH_MANY_SEARCHES)));
    await vi.waitFor(async () => expect(await searching()).toHaveLength(1), { timeout: 10_000, interval: 10 });
    const ended: string[] = [];
    // The search of the other user has few rows, so that it takes almost no time itself, however busy the machine is.
    const few = [
      { field: 'code', operator: 'regex', value: '^a' },
      { field: 'id', operator: 'less_than', value: 10 },
    ];
    const otherUsersSearch = service
      .get(`${instances}?${filtered(...few)}`, READER)
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
