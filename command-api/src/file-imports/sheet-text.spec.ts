/** Tests that line n of the CSV text of a sheet is row n of the sheet. */
import { IMPORTED_FILE_BYTES_MAX } from '@rdm/contracts';
import { readMappings } from '@rdm/contracts/crosswalks/mapping-formats/index';
import { expect, it } from 'vitest';
import { toByteString } from './rejected-rows.ts';
import { sheetText } from './sheet-text.ts';
import type { RecordBatch } from './sources/source.ts';

const columns = [{ name: 'sourceValue' }, { name: 'targetValue' }];

async function textOf(rows: readonly (readonly [line: number, ...cells: string[]])[], headerRow = 1): Promise<string> {
  const records = rows.map(([line, ...cells]) => ({
    ...{ line, fields: cells.map(toByteString), raw: '', isClean: true, malformed: null },
  }));
  async function* batches(): AsyncGenerator<RecordBatch> {
    for (const record of records) yield { records: [record], bytes: 1 };
  }
  let text = '';
  for await (const part of sheetText(batches(), { columns, read: { headerRow } })) text += part;
  return text;
}

it('puts row n on line n, also below title rows and blank rows', async () => {
  const text = await textOf(
    [
      [4, '0033', 'Müller, "K"'],
      [7, 'b', '=1+1'],
    ],
    3,
  );
  expect(text).toBe(`sourceValue,targetValue\n\n\n0033,"Müller, ""K"""\n\n\nb,'=1+1\n`);
  expect(readMappings(text).mappings).toMatchObject([
    { row: 4, source: { value: '0033' }, target: { value: 'Müller, "K"' } },
    { row: 7, source: { value: 'b' }, target: { value: '=1+1' } },
  ]);
});

it('has no header if no row names the columns', async () => {
  expect(await textOf([[1, 'a', 'x']], 0)).toBe('a,x\n');
});

it('refuses more text than an import of text reads', async () => {
  const half = 'x'.repeat(IMPORTED_FILE_BYTES_MAX / 2);
  await expect(
    textOf([
      [2, half, ''],
      [3, half, ''],
    ]),
  ).rejects.toThrow(/more than 64 million characters/);
});
