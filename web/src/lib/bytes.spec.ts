/** Tests the formatting of sizes. */
import { expect, it } from 'vitest';
import { bytes } from './bytes.ts';

it.each([
  [0, '0 B'],
  [1_023, '1023 B'],
  [1_024, '1.0 KiB'],
  [150 * 1_024, '150 KiB'],
  [3.44 * 1_024 ** 3, '3.4 GiB'],
  [2_000 * 1_024 ** 4, '2000 TiB'],
])('%d bytes are written as %s', (size, text) => {
  expect(bytes(size)).toBe(text);
});
