/** Tests which errors count as errors of the database, and which as errors of a projection. */
import { describe, expect, it } from 'vitest';
import { isInfrastructure } from './apply-batch.ts';

const withCode = (code: string, message = 'oh') => Object.assign(new Error(message), { code });

describe('an error while projecting', () => {
  it.each([
    '08006',
    '40001',
    '40P01',
    '53300',
    '55P03',
    '57P01',
    '57014',
    '58030',
    'XX000',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
  ])('with the code %s is an error of the database', (code) => expect(isInfrastructure(withCode(code))).toBe(true));

  it.each(['23502', '23505', '22P02', '42703', '54000', 'ERR_INVALID_ARG_TYPE'])(
    'with the code %s is an error of the projection',
    (code) => expect(isInfrastructure(withCode(code))).toBe(false),
  );

  it('without a code is an error of the database only if the connection broke', () => {
    expect(isInfrastructure(new Error('Connection terminated unexpectedly'))).toBe(true);
    expect(isInfrastructure(new TypeError('rows.map is not a function'))).toBe(false);
    expect(isInfrastructure('a string')).toBe(false);
  });
});
