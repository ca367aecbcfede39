/**
 * The diagnostics page: the report of an administrator by the keyboard alone, and the reload when the window gets the focus.
 */
import type { Page } from '@playwright/test';
import { expectAccessibleInBothThemes } from '../axe.ts';
import { clipboardOf, expectNoSecret, openErrors, rows, sendFailingRequest } from '../diagnostics-page.ts';
import { expect, test } from '../fixtures.ts';
import { tabTo } from '../keyboard.ts';

test.use({ reusesPages: true });

const partsOf = (page: Page) => page.getByRole('region', { name: 'Parts' });

test('copies the report and opens a correlation id by keyboard alone as an administrator', async ({
  openFor,
  baseUrl,
}) => {
  const page = await openFor('admin', { dark: true });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseUrl });
  const correlationId = await sendFailingRequest(await openFor('viewer'), baseUrl);
  await openErrors(page, correlationId);
  await expectAccessibleInBothThemes(page, 'errors');

  await test.step('opens from the command palette', async () => {
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('option').first()).toBeVisible();
    await page.keyboard.type('diagnostics');
    await expect(page.getByRole('option', { selected: true })).toHaveText('Diagnostics');
    await page.keyboard.press('Enter');
    await expect(partsOf(page).getByRole('listitem')).toHaveCount(5);
    await expect(partsOf(page).getByRole('listitem').filter({ hasText: 'PostgreSQL' })).toContainText('Healthy');
    await expect(page.getByRole('region', { name: 'Event store' })).toContainText('Embedded');
    await expect(page.getByRole('region', { name: 'Disk' })).toContainText(/Free.* GiB of /);
  });

  await test.step('copies the report as text', async () => {
    await tabTo(page, page.getByRole('button', { name: 'Refresh' }));
    const refreshed = page.waitForResponse('**/api/diagnostics');
    await page.keyboard.press('Enter');
    await refreshed;
    await tabTo(page, page.getByRole('button', { name: 'Copy report' }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitem', { name: 'As text' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByText('Report copied', { exact: true })).toBeVisible();
    const report = await clipboardOf(page);
    expect(report).toMatch(/^Diagnostics, /);
    for (const part of ['Event store: Healthy', 'Node.js: v', 'Your browser', correlationId])
      expect(report).toContain(part);
    expectNoSecret(report);
  });

  await test.step('leads from the correlation id to the audit log', async () => {
    await page.goto(`/diagnostics?tab=errors&q=${correlationId}`);
    const row = rows(page).filter({ hasText: 'GET /api/reference-types/:id' });
    await expect(row.getByRole('link', { name: correlationId })).toBeVisible();
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Show in the audit log' }).press('Enter');
    await expect(page).toHaveURL(/\/audit-logs\?filter=/);
    await expect(page.getByRole('heading', { level: 1, name: 'Audit Logs' })).toBeVisible();
    expect(decodeURIComponent(page.url())).toContain(correlationId);
  });
});

test('reloads the page when the window gets the focus, and keeps its content when the reload fails', async ({
  openFor,
}) => {
  const page = await openFor('viewer');
  await page.goto('/diagnostics');
  await expect(partsOf(page)).toBeVisible();
  const refreshed = page.waitForResponse('**/api/diagnostics');
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
  await refreshed;

  const body = { error: 'A part of the system is restarting. Please try again.', code: 'UNAVAILABLE' };
  await page.route('**/api/diagnostics', (route) => route.fulfill({ status: 503, json: body }));
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByRole('alert')).toContainText(
    'The last check failed: the page shows the result of the previous one',
  );
  await expect(partsOf(page)).toBeVisible();

  await page.reload();
  await expect(page.getByRole('alert')).toContainText('The parts could not be checked');
  await page.unroute('**/api/diagnostics');
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(partsOf(page)).toBeVisible();
});
