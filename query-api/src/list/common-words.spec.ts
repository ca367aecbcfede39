/** Tests that common words come from PostgreSQL's statistics on an indexed field. */
import { cellIndexes, createLog, fieldIndexPrefix } from '@rdm/platform';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type SpecDatabase, startDatabase } from '../fixtures/database.ts';
import { openCommonWords } from './common-words.ts';

const DATA_SET = 7;
const FIELD = 3;
const fields = [
  { fieldId: FIELD, name: 'name', dataType: 'string', isPrimaryKey: false },
  { fieldId: 4, name: 'without an index', dataType: 'string', isPrimaryKey: false },
];

let database: SpecDatabase;
beforeAll(async () => {
  database = await startDatabase();
  const { pool } = database;
  await pool.query('CREATE TABLE rows_of_spec (id bigint, data jsonb, deleted boolean DEFAULT false)');
  const parts = cellIndexes(FIELD, 'string').find(({ kind }) => kind === 'parts');
  await pool.query(`CREATE INDEX ${fieldIndexPrefix(DATA_SET, FIELD, 'parts')}1a ON rows_of_spec ${parts?.on}`);
  await pool.query(`INSERT INTO rows_of_spec SELECT n, jsonb_build_object('3', CASE WHEN n % 3 = 0 THEN 'Street of ' || n ELSE 'Square' END)
    FROM generate_series(1, 3000) n`);
  await pool.query('ANALYZE rows_of_spec');
}, 60_000);
afterAll(() => database.stop());

it('returns the common words of an indexed field, and none of a field without an index', async () => {
  const wordsOf = openCommonWords(database.pool, createLog('spec', 'silent'));
  const commonWordsOf = (fieldId: number) => [...wordsOf({ id: DATA_SET, fields } as never, fieldId)].sort();
  expect(commonWordsOf(FIELD)).toEqual([]);
  await vi.waitFor(() => expect(commonWordsOf(FIELD)).toEqual(['of', 'square', 'street']));
  expect(commonWordsOf(4)).toEqual([]);
});
