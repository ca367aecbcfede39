/** Tests when and why a draft is given up, on a real PostgreSQL. */
import { expect, it } from 'vitest';
import { recordOutOfMemory } from '../../bulk/memory-failures.ts';
import { createClaimedDraft, pool, refusalOf, startDraftDatabase } from './testing/claimed-draft.ts';

startDraftDatabase();

it('a draft is given up because of memory only if its process ran out of memory', async () => {
  const [own, other] = [await createClaimedDraft('exhausted'), await createClaimedDraft('healthy')];
  await recordOutOfMemory(pool, 'exhausted');
  expect(await refusalOf(own)).toMatch(/needs too much memory/);
  // The pieces of the file are missing. This is an error of the system, not of the file.
  expect(await refusalOf(other)).toMatch(/because of an error of the system/);
});
