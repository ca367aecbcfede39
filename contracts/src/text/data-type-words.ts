/** The words for data types on pages, in the help and in messages: those of the API. */
import type { DataType } from './rows.ts';

interface Words {
  /** One value, with its article. */
  one: string;
  many: string;
}

export const DATA_TYPE_WORDS: Readonly<Record<DataType, Words>> = {
  string: { one: 'a string', many: 'strings' },
  number: { one: 'a number', many: 'numbers' },
  boolean: { one: 'a boolean', many: 'booleans' },
  date: { one: 'a date', many: 'dates' },
};
