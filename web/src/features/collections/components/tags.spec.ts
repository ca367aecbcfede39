/** Tests the parser of typed tags. */
import { expect, it } from 'vitest';
import { parseTags } from './tags.ts';

it('the parser returns each tag once, without surrounding spaces', () => {
  expect(parseTags(' iso, public ,iso,, ledger of record ')).toEqual(['iso', 'public', 'ledger of record']);
  expect(parseTags('  ')).toEqual([]);
});
