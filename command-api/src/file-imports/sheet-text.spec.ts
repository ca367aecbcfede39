/** Tests the CSV text of a sheet. */
import { readMappings } from '@rdm/contracts/crosswalks/mapping-formats/index';
import { expect, it } from 'vitest';
import { textOf } from './fixtures/text-of-sheet.ts';

it('writes the header on line 1 and row n of the sheet on line n', async () => {
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

it('writes no header if no row names the columns', async () => {
  expect(await textOf([[1, 'a', 'x']], 0)).toBe('a,x\n');
});
