/** Uploads small files that are hard to read or contain no table, and compares each answer with the expected answer. */
import { describe, expect, it } from 'vitest';
import { prepareZoo, requireAnswer, requireMemoryWithinLimit, steward, upload } from './zoo/answers.ts';
import { ZOO } from './zoo/files.ts';

prepareZoo();

describe('the zoo of files', () => {
  it('has at least 60 files', () => expect(ZOO.length).toBeGreaterThanOrEqual(60));

  const small = ZOO.filter(({ isLarge, isSlow }) => !isLarge && !isSlow);
  it.each(small.map((file) => [file.name, file] as const))('gets the expected answer for %s', async (_, file) => {
    await requireAnswer(file, await upload(file, steward));
  });

  it('keeps the memory of the processes that read the files within its limit', requireMemoryWithinLimit);
});
