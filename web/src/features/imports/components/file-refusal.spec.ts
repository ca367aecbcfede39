/** Tests which files are refused before the upload. */
import { expect, it } from 'vitest';
import { fileRefusal } from './file-refusal.ts';

it('delimited text is accepted, also without a file name extension', () => {
  expect(fileRefusal({ name: 'codes.csv', size: 10 })).toBeUndefined();
  expect(fileRefusal({ name: 'codes', size: 10 })).toBeUndefined();
});

it('files of unsupported formats, empty files and large files are refused with a reason', () => {
  expect(fileRefusal({ name: 'Codes.XLS', size: 10 })).toBe(
    'XLS files cannot be imported: save the rows as XLSX or CSV first.',
  );
  expect(fileRefusal({ name: 'codes.csv', size: 0 })).toBe('The file is empty.');
  expect(fileRefusal({ name: 'codes.csv', size: 513 * 1024 * 1024 })).toContain('too large');
});
