/** Specifies the words of failed calls (specification §8). */
import { describe, expect, it } from 'vitest';
import { messageSource, NO_APPROVER_PERMISSION, NO_PERMISSION, passwordChangeMessage, shownMessage } from './index.ts';

describe('the message source', () => {
  it.each([
    [{ error: 'a', message: 'b', data: { message: 'c' } }, 'a'],
    [{ message: 'b', data: { message: 'c' } }, 'b'],
    [{ error: '', data: { message: 'c' } }, 'c'],
    [{}, 'Bad Request'],
    [undefined, 'Bad Request'],
  ])('reads %j as %s', (body, expected) => expect(messageSource(body, 'Bad Request')).toBe(expected));
});

describe('permission rewriting', () => {
  it.each([
    [403, 'Forbidden', NO_PERMISSION],
    [500, 'You need access to this', NO_PERMISSION],
    [400, 'Not authorized to write', NO_PERMISSION],
    [403, 'Only an APPROVER may do this', NO_APPROVER_PERMISSION],
    [403, 'You may not approve this', NO_APPROVER_PERMISSION],
    [400, 'Name is required', 'Name is required'],
    [
      409,
      'Submitted changes must be reviewed by a different user',
      'Submitted changes must be reviewed by a different user',
    ],
  ])('%i "%s" becomes "%s"', (status, message, expected) => expect(shownMessage(status, message)).toBe(expected));

  it.each([
    'Account locked. Access is refused.',
    'Account is temporarily locked',
    'No access; try again in 15 minutes',
    'Access locked until noon',
  ])('keeps the lockout message "%s"', (message) => expect(shownMessage(403, message)).toBe(message));

  it.each([
    'Cardinality violation: access code DE',
    'one-to-one relation: DE is used',
    'many-to-one relation',
    'one-to-many access',
  ])('keeps the cardinality message "%s"', (message) => expect(shownMessage(403, message)).toBe(message));
});

describe('a failed password change', () => {
  it.each([
    ['{"data":{"message":"a"},"message":"b"}', 'a'],
    ['{"message":"b"}', 'b'],
    ['{"error":"c"}', 'c'],
    ['plain words', 'plain words'],
    ['', '500: Internal Server Error'],
  ])('reads %s as %s', (raw, expected) =>
    expect(passwordChangeMessage(raw, 500, 'Internal Server Error')).toBe(expected),
  );
});
