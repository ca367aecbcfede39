/** Imports large files that are hard to read: they delay no other import, and the processes that read them need little memory. */
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

describe('the zoo of files', () => {
  const slow = ZOO.filter(({ isSlow }) => isSlow);
  it.each(slow.map((file) => [file.name, file] as const))('answers %s', async (_, file) => {
    await requireAnswer(file, await upload(file, steward));
  });

  it('answers the largest files, which do not delay a small file', { timeout: 300_000 }, async () => {
    const author = await signInAs('admin');
    const largest = ZOO.filter(({ isLarge }) => isLarge);
    const reading = await Promise.all(largest.map(async (file) => ({ file, uploaded: await upload(file, steward) })));
    const content = () => Buffer.from('code,name\nA,Alpha\n');
    const { id } = done(await upload({ fileName: 'small.csv', content }, author));
    await author.eventually(`/api/imports/${id}`, isRead, ANSWER_MS_MAX);
    const states = await Promise.all(
      reading.map(async ({ uploaded }) => (await steward.get(`/api/imports/${uploaded.body.id}`)).body.state),
    );
    expect(states).toContain('READING');
    for (const { file, uploaded } of reading) await requireAnswer(file, uploaded);
  });

  it('keeps the memory of the processes that read the files within its limit', requireMemoryWithinLimit);
});
