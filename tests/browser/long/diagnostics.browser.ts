/**
 * The diagnostics page: health, errors and a report, for an administrator and for a viewer, by keyboard and by mouse.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expectAccessibleInBothThemes } from '../axe.ts';
import { expect, test } from '../fixtures.ts';
import { tabTo } from '../keyboard.ts';
import { ADMIN_PASSWORD, SAMPLE_PASSWORD } from '../stack.ts';

test.use({ reusesPages: true });

const rows = (page: Page) => page.getByRole('grid', { name: 'Errors' }).getByRole('row');
const partsOf = (page: Page) => page.getByRole('region', { name: 'Parts' });
const clipboardOf = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

/** Sends a request that returns 503, because it waits for a position that the log never reaches. */
async function sendFailingRequest(page: Page, baseUrl: string): Promise<string> {
  const correlationId = randomUUID();
  const headers = { 'X-Min-Position': '9'.repeat(18), 'X-Correlation-Id': correlationId };
  const response = await page.request.get(`${baseUrl}/api/reference-types/999999999`, { headers });
  expect(response.status()).toBe(503);
  return correlationId;
}

/** Opens the Errors tab once it lists the error. */
async function openErrors(page: Page, correlationId: string): Promise<void> {
  await expect
    .poll(async () => (await page.request.get(`/api/diagnostics/errors?q=${correlationId}`)).text())
    .toContain(correlationId);
  await page.goto(`/diagnostics?tab=errors&q=${correlationId}`);
  await expect(rows(page).filter({ hasText: 'GET /api/reference-types/:id' })).toHaveCount(1);
}

/** Returns the texts that no report may contain. */
function secretsOfStack(): string[] {
  const folder = process.env['STACK_FOLDER'];
  if (folder === undefined) return [ADMIN_PASSWORD, SAMPLE_PASSWORD];
  const { sessionSecret, serviceSecret } = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'));
  const eventStorePassword = readFileSync(join(folder, 'event-store-password'), 'utf8').trim();
  return [ADMIN_PASSWORD, SAMPLE_PASSWORD, sessionSecret, serviceSecret, eventStorePassword, folder];
}

function expectNoSecret(report: string): void {
  for (const secret of secretsOfStack()) expect(report).not.toContain(secret);
  expect(report).not.toMatch(/postgres(ql)?:\/\/|esdb(\+discover)?:\/\//);
}

test('copies the report and opens the audit log of an error by keyboard', async ({ openFor, baseUrl }) => {
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

  await test.step('opens the audit log from the correlation id', async () => {
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

test('shows a viewer only their own errors on a phone', async ({ openFor, baseUrl }) => {
  const page = await openFor('viewer', { width: 390, height: 844 });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseUrl });
  const admin = await openFor('admin');
  const [ownId, foreignId] = [await sendFailingRequest(page, baseUrl), await sendFailingRequest(admin, baseUrl)];
  await openErrors(admin, foreignId);
  await openErrors(page, ownId);

  await test.step('copies a correlation id and the report by mouse', async () => {
    await page.getByRole('button', { name: /^Actions for row/ }).click();
    await expect(page.getByRole('menuitem')).toHaveText(['Copy correlation id']);
    await page.getByRole('menuitem', { name: 'Copy correlation id' }).click();
    await expect(page.getByText('Correlation id copied', { exact: true })).toBeVisible();
    expect(await clipboardOf(page)).toBe(ownId);
    await expectAccessibleInBothThemes(page, 'errors of a viewer');

    await page.getByRole('tab', { name: 'Health' }).click();
    await expect(page.getByRole('region', { name: 'Your session' })).toContainText('Ends at the latest');
    await expect(page.getByRole('region', { name: 'Your browser' })).toContainText('390 × 844 px');
    await expect(page.getByRole('region', { name: 'Versions' })).toHaveCount(0);
    await expectAccessibleInBothThemes(page, 'health of a viewer');
    const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    expect(isTooWide).toBe(false);

    await page.getByRole('button', { name: 'Copy report' }).click();
    await page.getByRole('menuitem', { name: 'As JSON' }).click();
    await expect(page.getByText('Report copied', { exact: true })).toBeVisible();
    const report = await clipboardOf(page);
    const reportData = JSON.parse(report);
    expect(Object.keys(reportData).sort()).toEqual(['browser', 'errors', 'healthy', 'parts', 'session', 'takenAt']);
    expect(report).toContain(ownId);
    expect(report).not.toContain(foreignId);
    expectNoSecret(report);
  });

  await test.step('moves between the tabs and the report menu by keyboard', async () => {
    await tabTo(page, page.getByRole('tab', { name: 'Health' }));
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('tab', { name: 'Errors' })).toHaveAttribute('aria-selected', 'true');
    await tabTo(page, page.getByRole('button', { name: 'Copy report' }), 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('menuitem', { name: 'As JSON' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Copy report' })).toBeFocused();
  });
});

test('checks the parts again when the window becomes visible, and keeps the last result when a check fails', async ({
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
    'The last check failed: the page shows the result of the previous check',
  );
  await expect(partsOf(page)).toBeVisible();

  await page.reload();
  await expect(page.getByRole('alert')).toContainText('The parts could not be checked');
  await page.unroute('**/api/diagnostics');
  await page.getByRole('button', { name: 'Try Again' }).click();
  await expect(partsOf(page)).toBeVisible();
});
