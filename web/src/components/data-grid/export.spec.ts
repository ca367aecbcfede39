/** Tests the CSV export of a list. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { exportCsv } from './export.ts';

let content: Blob | undefined;

beforeEach(() => {
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    content = blob as Blob;
    return 'blob:export';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

const text = (header: string) => ({ id: 'text', header, cell: (row: string) => row, value: (row: string) => row });

it('neutralises formulas in cells and headers, and omits columns without a `value` function', async () => {
  await exportCsv(
    'List',
    [text('=header'), { id: 'shown', header: 'Not exported', cell: () => null }],
    ['=1+1', 'a"b'],
  );
  expect(await content?.text()).toBe(`\uFEFF"'=header"\r\n"'=1+1"\r\n"a""b"`);
});

it('exports every row of a long list exactly once', async () => {
  const rows = Array.from({ length: 4_001 }, (_, index) => `row ${index}`);
  await exportCsv('List', [text('Text')], rows);
  expect((await content?.text())?.split('\r\n')).toEqual(['\uFEFFText', ...rows]);
});
