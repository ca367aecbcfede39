/** Tests the texts of durations. */
import { expect, it } from 'vitest';
import { duration } from './duration.ts';

it.each([
  [0.4, '0 s'],
  [59.4, '59 s'],
  [59.6, '1 min 0 s'],
  [119.6, '2 min 0 s'],
  [3_599.6, '1 h 0 min'],
])('%s seconds are %s', (seconds, text) => expect(duration(seconds)).toBe(text));
