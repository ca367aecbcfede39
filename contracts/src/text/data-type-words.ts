/** The words for data types on pages, in the help and in messages. The API uses the same words. */
import type { DataType } from './rows.ts';

interface Words {
  /** The word for one value, with its article. */
  one: string;
  many: string;
}

export const DATA_TYPE_WORDS: Readonly<Record<DataType, Words>> = {
  string: { one: 'a string', many: 'strings' },
  number: { one: 'a number', many: 'numbers' },
  boolean: { one: 'a boolean', many: 'booleans' },
  date: { one: 'a date', many: 'dates' },
};
