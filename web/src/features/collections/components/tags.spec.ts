/** Specifies how typed tags are read. */
import { expect, it } from 'vitest';
import { asTags } from './tags.ts';

it('takes each tag once, without the spaces around it', () => {
  expect(asTags(' iso, public ,iso,, ledger of record ')).toEqual(['iso', 'public', 'ledger of record']);
  expect(asTags('  ')).toEqual([]);
});
