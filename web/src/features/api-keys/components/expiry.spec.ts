/** Tests the expiry of a new key. */
import { expect, it } from 'vitest';
import { expiryTime } from './expiry.ts';

const NOW = new Date('2026-11-20T09:00:00.000Z');

it('a key expires after a number of days, at the end of the chosen day, or never', () => {
  expect(expiryTime('30', '', NOW)).toBe('2026-12-20T09:00:00.000Z');
  expect(expiryTime('365', '', NOW)).toBe('2027-11-20T09:00:00.000Z');
  expect(expiryTime('never', '2026-12-01', NOW)).toBeNull();
  expect(expiryTime('day', '2026-12-01', NOW)).toBe(new Date(2026, 11, 1, 23, 59, 59, 999).toISOString());
});

it('the expiry is undefined if no valid day is chosen', () => {
  expect(expiryTime('day', '', NOW)).toBeUndefined();
  expect(expiryTime('day', 'soon', NOW)).toBeUndefined();
});
