import { expect, it } from 'vitest';
import { DATA_TYPE_WORDS } from './data-type-words.ts';
import { DATA_TYPES } from './rows.ts';

it.each(DATA_TYPES)('uses the word of the API for the data type %s', (dataType) => {
  expect(DATA_TYPE_WORDS[dataType]).toEqual({ one: `a ${dataType}`, many: `${dataType}s` });
});
