/** Creates drafts of mappings, and finds the notifications about their review. */
import type { Page } from '@playwright/test';
import { createNomenclature } from './code-list.ts';
import { callApi, uniqueName } from './fixtures.ts';

/** Creates a crosswalk with `count` drafts as the steward. The approver may decide the drafts once submitted. */
export async function createDrafts(steward: Page, approver: Page, count: number) {
  const { source, target } = await createNomenclature(steward, approver);
  const { id } = await callApi<{ id: number }>(steward, 'POST', '/api/crosswalks', {
    name: uniqueName('Notified'),
    sourceSystemId: source.id,
    targetSystemId: target.id,
    sourceAttribute: 'code',
    targetAttribute: 'code',
  });
  const code = uniqueName('code');
  const rows = Array.from({ length: count }, (_, index) => ({
    sourceValue: `${code} ${index}`,
    targetValue: `${code} is ${index}`,
  }));
  const { results } = await callApi<{ results: { id: number; revision: number }[] }>(
    steward,
    'POST',
    `/api/crosswalks/${id}/mappings`,
    { rows },
  );
  return {
    id,
    rows: results.map(({ id: row, revision }) => ({ id: row, revision })),
    title: `${code} 0 → ${code} is 0`,
  };
}

/** The entry that contains this text in the open list of notifications. */
export const entry = (page: Page, text: string) =>
  page.getByRole('dialog', { name: 'Notifications' }).getByRole('listitem').filter({ hasText: text });
