/** Messages for invalid values, used where a schema defines no message. */
import { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

/** The message for a missing value. */
export const MISSING = 'Must be given';
/** Every message of this file begins with this word. */
const BEGINNING = /^Must /;

/** The words for data types in messages. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  nan: 'not a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  date: 'a date',
  array: 'a list',
  tuple: 'a list',
  set: 'a list',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  null: 'null',
  undefined: 'nothing',
};
const typeWords = (type: string): string => TYPES[type] ?? `of the type ${type}`;

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'an address that begins with http:// or https://',
  uuid: 'a UUID',
  guid: 'a UUID',
  datetime: 'a date with a time and a time zone, such as 2026-01-31T12:00:00Z',
  date: 'a date, such as 2026-01-31',
  time: 'a time, such as 12:00:00',
  safeint: 'a whole number that is not too large',
  int32: 'a whole number that is not too large',
};

function typeOf(input: unknown): string {
  if (input === null) return 'null';
  if (Array.isArray(input)) return 'array';
  return Number.isNaN(input) ? 'nan' : typeof input;
}

const quoted = (value: unknown): string => (typeof value === 'string' ? `“${value}”` : String(value));

/** `4,000 characters`, `1 entry`. */
function amount(count: number | bigint, origin: string): string {
  const number = count.toLocaleString('en');
  const unit = { string: 'character', array: 'entry', set: 'entry', map: 'entry', file: 'byte' }[origin];
  if (unit === undefined) return number;
  if (count === 1) return `${number} ${unit}`;
  return `${number} ${unit === 'entry' ? 'entries' : `${unit}s`}`;
}

function sizeWords(bound: 'at most' | 'at least', count: number | bigint, issue: Issue): string {
  const { origin = '', inclusive, exact } = issue as { origin?: string; inclusive?: boolean; exact?: boolean };
  const isSized = ['string', 'array', 'set', 'map', 'file'].includes(origin);
  const adverb = exact ? 'exactly' : inclusive === false ? (bound === 'at most' ? 'less than' : 'more than') : bound;
  return `Must ${isSized ? 'have' : 'be'} ${adverb} ${amount(count, origin)}`;
}

/** Returns the message for an issue. Zod calls this function. */
export function issueWords(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type': {
      const received = typeOf(issue.input);
      if (received === 'undefined') return MISSING;
      // For a number that is not an integer or not finite, the type of the value would not explain the problem.
      const isSameKind = typeWords(received) === typeWords(issue.expected) || received === 'nan';
      const isNumber = received === 'number' && issue.expected === 'int';
      return `Must be ${typeWords(issue.expected)}${isSameKind || isNumber ? '' : `, not ${typeWords(received)}`}`;
    }
    case 'invalid_value':
      return issue.values.length === 1
        ? `Must be ${quoted(issue.values[0])}`
        : `Must be one of ${issue.values.map(quoted).join(', ')}`;
    case 'too_big':
      return sizeWords('at most', issue.maximum, issue);
    case 'too_small':
      return sizeWords('at least', issue.minimum, issue);
    case 'not_multiple_of':
      return `Must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      if (issue.format === 'starts_with') return `Must begin with ${quoted(issue['prefix'])}`;
      if (issue.format === 'ends_with') return `Must end with ${quoted(issue['suffix'])}`;
      if (issue.format === 'includes') return `Must contain ${quoted(issue['includes'])}`;
      if (issue.format === 'regex') return 'Must have the format of this field';
      return `Must be ${FORMATS[issue.format] ?? `of the format ${issue.format}`}`;
    case 'unrecognized_keys':
      return `Must not have ${issue.keys.map(quoted).join(', ')}: remove the unknown properties`;
    case 'invalid_key':
      return 'Must have names that are allowed here';
    case 'invalid_element':
      return 'Must have entries that are allowed here';
    case 'invalid_union':
      return 'Must have one of the forms that are allowed here';
    default:
      return 'Must be a value that is allowed here';
  }
}

/** Makes Zod use these messages in the whole process. */
export const installIssueWords = (): void => {
  z.config({ localeError: issueWords });
};

/** Adds the path of the value to a message that begins with “Must”. Other messages name the value themselves. */
export const placedWords = (path: string, words: string): string =>
  BEGINNING.test(words) ? words.replace(BEGINNING, `${path === '' ? 'The request' : path} must `) : words;
