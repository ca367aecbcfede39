/** Tests the messages of failed requests (specification §8). */
import { describe, expect, it } from 'vitest';
import { failedTitle, passwordChangeMessage, responseMessage, rowMessage, shownMessage } from './index.ts';

const NO_PERMISSION = "You don't have permission to perform this action";
const NO_APPROVER_PERMISSION = "You don't have APPROVER permission for this collection";

describe('the message of a response', () => {
  it.each([
    [{ error: 'a', message: 'b', data: { message: 'c' } }, 'a'],
    [{ message: 'b', data: { message: 'c' } }, 'b'],
    [{ error: '', data: { message: 'c' } }, 'c'],
    [{}, 'Bad Request'],
    [undefined, 'Bad Request'],
    [{ data: { message: 'c' }, message: '  ' }, 'c'],
    [{ error: { nested: true } }, 'Bad Request'],
  ])('with the body %j is “%s”', (body, expected) => expect(responseMessage(body, 'Bad Request')).toBe(expected));

  it('is empty if neither the body nor the status has a text', () => expect(responseMessage({}, '')).toBe(''));
});

describe('permission rewriting', () => {
  it.each([
    [403, 'Forbidden', NO_PERMISSION],
    [500, 'You need access to this', NO_PERMISSION],
    [400, 'Not authorized to write', NO_PERMISSION],
    [403, 'Only an APPROVER may do this', NO_APPROVER_PERMISSION],
    [403, 'You may not approve this', NO_APPROVER_PERMISSION],
    [403, 'Nothing in particular', NO_PERMISSION],
    [400, 'APPROVER is needed here', NO_APPROVER_PERMISSION],
    [409, 'Approving needs permission', NO_APPROVER_PERMISSION],
    [409, 'Approved rows cannot be deleted', 'Approved rows cannot be deleted'],
    [429, 'Too many requests', 'Too many requests'],
    [400, 'Name is required', 'Name is required'],
    [401, 'Unauthorized', 'Unauthorized'],
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
    'Account locked until 12:00: ask for permission',
  ])('keeps the lockout message "%s"', (message) => expect(shownMessage(403, message)).toBe(message));

  it.each([
    'Cardinality violation: access code DE',
    'one-to-one relation: DE is used',
    'many-to-one relation',
    'one-to-many access',
  ])('keeps the cardinality message "%s"', (message) => expect(shownMessage(403, message)).toBe(message));
});

describe('a refused row', () => {
  it.each([
    [{ code: 'FORBIDDEN', message: 'This needs APPROVER permission on the data set' }, NO_APPROVER_PERMISSION],
    [{ code: 'LEVEL', message: 'The level is too low' }, NO_PERMISSION],
    [{ code: 'NOT_PENDING', message: 'This row is not under review' }, 'This row is not under review'],
    [{}, undefined],
  ])('%j has the message %s', (row, expected) => expect(rowMessage(row)).toBe(expected));

  it('mentions APPROVER if the level is too low for an approval', () => {
    expect(rowMessage({ code: 'LEVEL', message: 'The level is too low' }, { approving: true })).toBe(
      NO_APPROVER_PERMISSION,
    );
    expect(rowMessage({ code: 'STALE', message: 'This row was changed' }, { approving: true })).toBe(
      'This row was changed',
    );
  });
});

describe('a failed password change', () => {
  it.each([
    ['{"data":{"message":"a"},"message":"b"}', 'a'],
    ['{"message":"b"}', 'b'],
    ['{"error":"c"}', 'c'],
    ['{"data":{}}', 'Failed to change password'],
    ['<!doctype html><title>Proxy</title>', 'Session expired or authentication required'],
    ['plain words', 'plain words'],
    ['', '500: Internal Server Error'],
  ])('with the response %s has the message “%s”', (raw, expected) =>
    expect(passwordChangeMessage(raw, 500, 'Internal Server Error')).toBe(expected),
  );
});

describe('the title of a failed action', () => {
  it.each([
    [{ status: 0 }, 'Approve: no answer'],
    [{ status: 503 }, 'Approve: failed'],
    [{ status: 409 }, 'Approve: refused'],
    [new Error('no such row'), 'Approve: refused'],
  ])('for %j is %s', (error, expected) => expect(failedTitle('Approve', error)).toBe(expected));
});
