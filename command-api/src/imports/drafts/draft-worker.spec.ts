/** Tests on a real PostgreSQL when the worker refuses a draft, and when it counts an attempt. */
import { expect, it, vi } from 'vitest';
import { recordOutOfMemory } from '../../bulk/memory-failures.ts';
import { continueDraft, createClaimedDraft, pool, refusalOf, startDraftDatabase } from './testing/claimed-draft.ts';

startDraftDatabase();

it('refuses a draft for its memory only if the process of the draft ran out of memory', async () => {
  const [own, other] = [await createClaimedDraft('exhausted'), await createClaimedDraft('healthy')];
  await recordOutOfMemory(pool, 'exhausted');
  expect(await refusalOf(own)).toMatch(/needs too much memory/);
  // The pieces of the file are missing. This is an error of the system, not of the file.
  expect(await refusalOf(other)).toMatch(/because of an error of the system/);
});

it('does not count an attempt while the event store is unavailable', async () => {
  const id = await createClaimedDraft('killed', { failures: 2, attempt: 3, dataSetId: 1 });
  const load = vi.fn().mockRejectedValue(Object.assign(new Error('14 UNAVAILABLE'), { code: 14 }));
  const worker = await continueDraft(id, { load });
  await expect.poll(() => load.mock.calls.length, { timeout: 20_000 }).toBeGreaterThan(1);
  await worker.stop();
  const { rows } = await pool.query('SELECT state, failures, attempt FROM command.import_drafts WHERE id = $1', [id]);
  expect(rows).toEqual([{ state: 'READING', failures: 2, attempt: 3 }]);
});
