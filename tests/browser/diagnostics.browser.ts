/** The diagnostics page: health, errors and a report, for a viewer on a phone, by mouse and by keyboard. */
import { expectAccessibleInBothThemes } from './axe.ts';
import { clipboardOf, expectNoSecret, openErrors, sendFailingRequest } from './diagnostics-page.ts';
import { expect, test } from './fixtures.ts';
import { tabTo } from './keyboard.ts';

test.use({ reusesPages: true });

test('shows a viewer their own errors on a phone, and none of other users', async ({ openFor, baseUrl }) => {
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

  await test.step('by keyboard', async () => {
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
