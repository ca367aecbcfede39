/** Deletes 10,001 rows in one job, restores the rows in another job, and shows the refused row. */
import { callApi, expect, lastAction, test, uniqueName, visit } from '../fixtures.ts';

test.use({ reusesPages: true });

const ROWS = 10_001;
const ROWS_PER_REQUEST = 5_001;
const codeOf = (row: number): string => `D${String(row).padStart(5, '0')}`;

test('deletes and restores 10,001 rows in jobs', async ({ openFor }) => {
  const steward = await openFor('steward');
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', {
    name: uniqueName('Many'),
    description: '',
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const name = uniqueName('Many');
  const { id } = await callApi(steward, 'POST', '/api/reference-data', { name, typeId });
  const path = `/api/reference-data/${id}/instances`;
  for (let from = 0; from < ROWS; from += ROWS_PER_REQUEST) {
    const length = Math.min(ROWS_PER_REQUEST, ROWS - from);
    const rows = Array.from({ length }, (_, index) => ({ data: { code: codeOf(from + index) } }));
    await callApi(steward, 'POST', path, { rows });
  }
  await steward.goto(`/reference-data/${id}`);
  const grid = steward.getByRole('grid', { name });
  const bar = lastAction(steward);
  const job = steward.getByRole('region', { name: 'Job in progress' });
  await expect(grid).toHaveAttribute('aria-rowcount', String(ROWS + 1));

  await test.step('deletes all matching rows, and shows the progress', async () => {
    await steward.getByRole('checkbox', { name: 'Select all rows on this page' }).click();
    await steward.getByRole('button', { name: 'Select all 10,001 matching rows' }).click();
    await expect(steward.getByText('All 10,001 matching rows are selected')).toBeVisible();
    await steward.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = steward.getByRole('dialog', { name: 'Delete 10,001 rows?' });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(job).toContainText('Deleting 10,001 rows as a job');
    await expect(job.getByRole('progressbar')).toBeVisible();
    await expect(bar).toContainText('10,001 rows deleted', { timeout: 60_000 });
    await expect(job).toBeHidden();
    await expect(steward.getByText('No rows yet')).toBeVisible();
  });

  await test.step('restores all rows except one whose key was reused', async () => {
    await callApi(steward, 'POST', path, { data: { code: codeOf(7) } });
    await bar.getByRole('button', { name: 'Undo' }).click();
    await expect(job).toContainText('Restoring 10,001 rows as a job');
    await expect(bar).toContainText('10,000 rows restored', { timeout: 60_000 });
    await expect(grid).toHaveAttribute('aria-rowcount', String(ROWS + 1));
  });

  await test.step('names the refused row in the monitor, and exports refused rows as a file', async () => {
    const jobName = `Restore 10,001 rows of ${name}`;
    const { items } = await callApi<{ items: { jobId: number }[] }>(
      steward,
      'GET',
      `/api/jobs?q=${encodeURIComponent(jobName)}`,
    );
    await visit(steward, `/monitor?job=${items[0]?.jobId}`);
    const drawer = steward.getByRole('dialog', { name: jobName });
    const line = drawer.getByRole('row').filter({ hasText: codeOf(7) });
    await expect(line).toContainText('Restore');
    const downloadStarted = steward.waitForEvent('download');
    await drawer.getByRole('link', { name: 'Download the failed rows' }).click();
    expect((await downloadStarted).suggestedFilename()).toMatch(/^refused-rows-of-job-\d+\.csv$/);
  });
});
