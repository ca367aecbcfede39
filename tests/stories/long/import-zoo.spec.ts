/**
 * Uploads the files of `zoo/files.ts` that are slow to read or large. The large files do not delay a small file, and
 * the processes that read the files need little memory.
 */
import { describe, expect, it } from 'vitest';
import { done } from '../fixtures.ts';
import { signInAs } from '../http-client.ts';
import {
  ANSWER_MS_MAX,
  isRead,
  prepareZoo,
  requireAnswer,
  requireMemoryWithinLimit,
  steward,
  upload,
} from '../zoo/answers.ts';
import { ZOO } from '../zoo/files.ts';

prepareZoo();

describe('the product with files that are hard to read', () => {
  const slowFiles = ZOO.filter(({ isSlow }) => isSlow);
  it.each(slowFiles.map((file) => [file.name, file] as const))('answers as expected for %s', async (_, file) => {
    await requireAnswer(file, await upload(file, steward));
  });

  it('answers as expected for the largest files, which do not delay a small file', { timeout: 300_000 }, async () => {
    const author = await signInAs('admin');
    const largestFiles = ZOO.filter(({ isLarge }) => isLarge);
    const uploads = await Promise.all(
      largestFiles.map(async (file) => ({ file, uploaded: await upload(file, steward) })),
    );
    const content = () => Buffer.from('code,name\nA,Alpha\n');
    const { id } = done(await upload({ fileName: 'small.csv', content }, author));
    await author.eventually(`/api/imports/${id}`, isRead, ANSWER_MS_MAX);
    const states = await Promise.all(
      uploads.map(async ({ uploaded }) => (await steward.get(`/api/imports/${uploaded.body.id}`)).body.state),
    );
    expect(states).toContain('READING');
    for (const { file, uploaded } of uploads) await requireAnswer(file, uploaded);
  });

  it('keeps the memory of the processes that read the files within its limit', requireMemoryWithinLimit);
});
