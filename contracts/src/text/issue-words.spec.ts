import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { installIssueWords, placedWords } from './issue-words.ts';

const before = z.config().localeError;
beforeAll(() => installIssueWords());
afterAll(() => void z.config({ localeError: before }));

const messageOf = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message;

it.each<[string, z.ZodType, unknown]>([
  ['Must be given', z.string(), undefined],
  ['Must be text, not a number', z.string(), 7],
  ['Must be a number, not text', z.number(), 'seven'],
  ['Must be a number', z.number(), Number.NaN],
  ['Must be a whole number', z.number().int(), 1.5],
  ['Must be true or false, not null', z.boolean(), null],
  ['Must be a list, not an object', z.array(z.string()), {}],
  ['Must be an object, not a list', z.object({}), []],
  ['Must be an object, not true or false', z.record(z.string(), z.string()), true],
  ['Must be a date, not text', z.date(), 'today'],
  ['Must be “all”', z.literal('all'), 'none'],
  ['Must be one of “csv”, “json”', z.enum(['csv', 'json']), 'xml'],
  ['Must have at most 2 characters', z.string().max(2), 'abc'],
  ['Must have at least 1 character', z.string().min(1), ''],
  ['Must have exactly 4,000 characters', z.string().length(4_000), ''],
  ['Must have at most 1 entry', z.array(z.string()).max(1), ['a', 'b']],
  ['Must have at least 2 entries', z.array(z.string()).min(2), []],
  ['Must be at most 100', z.number().max(100), 101],
  ['Must be more than 0', z.number().positive(), 0],
  ['Must be less than 5', z.number().lt(5), 5],
  ['Must be a multiple of 5', z.number().multipleOf(5), 7],
  ['Must be an e-mail address', z.email(), 'nobody'],
  ['Must be a UUID', z.uuid(), 'x'],
  ['Must be a date with a time and a time zone, such as 2026-01-31T12:00:00Z', z.iso.datetime(), 'x'],
  ['Must have the format of this field', z.string().regex(/^a/), 'b'],
  ['Must begin with “/”', z.string().startsWith('/'), 'b'],
  ['Must end with “/”', z.string().endsWith('/'), 'b'],
  ['Must contain “/”', z.string().includes('/'), 'b'],
  ['Must be of the format base64', z.base64(), '!'],
  ['Must not have “x”, “y”: remove the unknown properties', z.strictObject({}), { x: 1, y: 2 }],
  ['Must have one of the forms that are allowed here', z.union([z.string(), z.number()]), true],
  ['Must have names that are allowed here', z.record(z.string().max(1), z.string()), { bb: 'x' }],
  ['Must have entries that are allowed here', z.map(z.date(), z.string()), new Map([[new Date(0), 1]])],
  ['Must be a value that is allowed here', z.custom(() => false), 1],
])('has the message “%s”', (words, schema, value) => {
  expect(messageOf(schema, value)).toBe(words);
});

it('does not replace messages that a schema defines', () => {
  expect(messageOf(z.string({ error: 'Name is required' }), undefined)).toBe('Name is required');
  expect(placedWords('name', 'Name is required')).toBe('Name is required');
});

it('puts the path of the value before the message', () => {
  expect(placedWords('rows.0.code', 'Must be text, not a number')).toBe('rows.0.code must be text, not a number');
  expect(placedWords('', 'Must be an object, not text')).toBe('The request must be an object, not text');
});
