/** Tests the limit of the text of a sheet. */
import { IMPORTED_FILE_BYTES_MAX } from '@rdm/contracts';
import { expect, it } from 'vitest';
import { textOf } from '../fixtures/text-of-sheet.ts';

it('refuses a sheet with more text than an imported text file may have', async () => {
  const half = 'x'.repeat(IMPORTED_FILE_BYTES_MAX / 2);
  await expect(
    textOf([
      [2, half, ''],
      [3, half, ''],
    ]),
  ).rejects.toThrow(/more than 64 million characters/);
});
