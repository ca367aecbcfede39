/**
 * Specifies the error log: it lists a limited number of errors, does not make callers wait for the database, and
 * describes a failed request without the text of its error.
 */
import { ERRORS_PER_MINUTE, Refusal } from '@rdm/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toRefusal } from '../http/to-refusal.ts';
import { describeFailure, errorCode, type NewError, openErrorLog } from './error-log.ts';
import { createLog } from './log.ts';
import { createMetrics } from './metrics.ts';

const FAILURE: NewError = { kind: 'REQUEST', code: 'Error', message: 'It failed' };

/** Opens an error log. `query` answers its statements, which are recorded. */
function open(query: (text: string, values: unknown[]) => Promise<unknown>) {
  const metrics = createMetrics('spec');
  const db = { query: vi.fn(query) };
  const errors = openErrorLog({ db: db as never, service: 'spec', log: createLog('spec', 'silent'), metrics });
  const writtenErrors = () =>
    db.query.mock.calls.map(([, values]) => ({ errors: JSON.parse(String(values[1])), count: values[3] }));
  const omittedCount = async () =>
    (await metrics.registry.getSingleMetric('errors_omitted_total')?.get())?.values[0]?.value;
  return { errors, db, writtenErrors, omittedCount };
}
const listAll = async (_text: string, values: unknown[]) => ({
  rows: [{ listed: JSON.parse(String(values[1])).length }],
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('an error log', () => {
  it('writes the errors of a second in one statement', async () => {
    const { errors, writtenErrors } = open(listAll);
    errors.record(FAILURE);
    errors.record({ ...FAILURE, code: 'Other' });
    expect(writtenErrors()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(writtenErrors()).toMatchObject([{ errors: [{ code: 'Error' }, { code: 'Other' }], count: 2 }]);
  });

  it('buffers no more errors than it lists per minute, and counts the others', async () => {
    const { errors, writtenErrors, omittedCount } = open(listAll);
    for (let count = 0; count < ERRORS_PER_MINUTE + 5; count += 1) errors.record(FAILURE);
    await errors.flush();
    expect(writtenErrors()[0]?.errors).toHaveLength(ERRORS_PER_MINUTE);
    expect(writtenErrors()[0]?.count).toBe(ERRORS_PER_MINUTE + 5);
    expect(await omittedCount()).toBe(5);
  });

  it('drops and counts errors while the database is unavailable, and reports their number with the next errors', async () => {
    let isUnavailable = true;
    const { errors, writtenErrors, omittedCount } = open((text, values) =>
      isUnavailable ? Promise.reject(new Error('away')) : listAll(text, values),
    );
    errors.record(FAILURE);
    await errors.flush();
    expect(await omittedCount()).toBe(1);
    isUnavailable = false;
    errors.record({ ...FAILURE, code: 'Next' });
    await errors.flush();
    expect(writtenErrors().at(-1)).toMatchObject({ errors: [{ code: 'Next' }], count: 2 });
    expect(await omittedCount()).toBe(1);
  });

  it('sends no second statement while the database does not answer the first', async () => {
    const { errors, db } = open(() => new Promise(() => undefined));
    for (let second = 0; second < 5; second += 1) {
      errors.record(FAILURE);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(db.query).toHaveBeenCalledTimes(1);
  });
});

describe('a failed request', () => {
  const described = (error: unknown) => describeFailure(error, toRefusal(error));

  it('is not listed if its status is below 500', () => {
    expect(described(new Refusal('NOT_FOUND', 'Not found'))).toBeUndefined();
    expect(described(new Refusal('TOO_MANY_REQUESTS', 'Later'))).toBeUndefined();
  });

  it('is described without the text of the error', () => {
    const thrown = Object.assign(new Error('SELECT secret FROM users WHERE email = ada@example.com'), {
      code: '42P01',
    });
    expect(described(thrown)).toEqual({
      status: 500,
      code: '42P01',
      message: 'The service failed: its log has the reason',
    });
    const refused = new Refusal('UNAVAILABLE', 'Event 7 of ada@example.com at 10.0.0.1');
    expect(described(refused)).toEqual({
      status: 503,
      code: 'UNAVAILABLE',
      message: 'A part of the system was not available',
    });
  });

  it('has the name of the error as its code if the error has no valid code, and the code Error if the name is not valid either', () => {
    expect(errorCode(new TypeError('x'))).toBe('TypeError');
    expect(errorCode({ code: 'it holds: ada@example.com', name: 'no name either!' })).toBe('Error');
    expect(errorCode('text')).toBe('Error');
  });
});
