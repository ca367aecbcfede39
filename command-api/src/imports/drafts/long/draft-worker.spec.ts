/** Tests the limits of failures and attempts of a draft, on a real PostgreSQL. */
import { expect, it } from 'vitest';
import { createClaimedDraft, refusalOf, startDraftDatabase } from '../testing/claimed-draft.ts';

startDraftDatabase();

it('gives up a draft after three failures, and after 20 attempts', async () => {
  expect(await refusalOf(await createClaimedDraft('killed', { attempt: 10, failures: 0 }))).toMatch(
    /error of the system/,
  );
  const id = await createClaimedDraft('killed', { attempt: 20, failures: 0 });
  expect(await refusalOf(id)).toMatch(/^The process that worked on the file was ended 20 times/);
});
