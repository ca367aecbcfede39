/** Specifies on a real PostgreSQL that staged files are read like files in memory. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Pool } from '@rdm/platform';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startDatabase } from '../../testing/database.ts';
import { beginStaging, stagePiece } from '../staged-files.ts';
import { sheetRows, workbookOf } from './fixtures/workbook-files.ts';
import { profileFile } from './profile-file.ts';
import { readHeader, readRecords } from './read-records.ts';
import { stagedBytes } from './staged-bytes.ts';

let database: Awaited<ReturnType<typeof startDatabase>>;
let pool: Pool;
beforeAll(async () => {
  database = await startDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());

/** Stages a file in pieces of growing size. */
async function stageFile(content: Buffer): Promise<{ id: string; size: number }> {
  const id = randomUUID();
  await beginStaging(pool, id, 1, 'file');
  let at = 0;
  for (let number = 0, size = 7; at < content.length; number++, size *= 3) {
    await stagePiece(pool, id, number, content.subarray(at, at + size));
    at += size;
  }
  return { id, size: content.length };
}

it('reads any range of a staged file', async () => {
  const content = randomBytes(3_000);
  const file = stagedBytes(pool, await stageFile(content));
  const ranges = [
    [0, 3_000],
    [0, 7],
    [6, 2],
    [7, 21],
    [100, 1_000],
    [2_990, 100],
    [3_000, 1],
  ] as const;
  for (const [from, length] of ranges) {
    expect(await file.range(from, length)).toEqual(content.subarray(from, from + length));
  }
});

it('reads all records of a staged workbook and of a staged text', async () => {
  const rows = [['Code', 'Name'], ...Array.from({ length: 500 }, (_, index) => [`C${index}`, `Größe ${index}`])];
  const { rows: xml, strings } = sheetRows(rows);
  for (const content of [
    workbookOf({ sheets: [{ rows: xml }], strings }),
    Buffer.from(rows.map((row) => row.join(';')).join('\n')),
  ]) {
    const file = await stageFile(content);
    const profile = await profileFile(pool, file, {});
    expect(profile).toMatchObject({ records: 500, key: [0], label: 1 });
    const read: string[][] = [];
    for await (const { records } of readRecords(pool, file, profile)) {
      for (const { fields } of records) read.push(fields.map((field) => Buffer.from(field, 'latin1').toString()));
    }
    expect(read).toEqual(rows.slice(1));
    if (profile.format === 'text') expect(await readHeader(pool, file, profile)).toBe('Code;Name');
  }
});
