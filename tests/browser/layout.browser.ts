/** The layout of lists and of the sidebar, where only a browser can measure it. */
import { callApi, expect, signInByApi, test, visit } from './fixtures.ts';
import { SAMPLE_PASSWORD } from './stack.ts';

test.use({ keepsPages: true });

test('shows the headers and the user names of a list in full at 1,280 px', async ({ openFor }) => {
  const page = await openFor('steward', { width: 1280, height: 800 });
  await page.goto('/reference-data');
  const cells = page.getByRole('row').filter({ hasText: 'Countries, alpha-3' }).getByRole('gridcell');
  await expect(cells.filter({ hasText: 'Sam Steward' })).toBeVisible();
  const cut = () =>
    page
      .locator('[data-header], td[data-column="updatedAt"]')
      .evaluateAll((texts) =>
        texts
          .filter((text) => text.scrollWidth > text.clientWidth || text.scrollHeight > text.clientHeight)
          .map((text) => text.textContent),
      );
  await expect.poll(cut).toEqual([]);
});

test('lists an opened data set in the sidebar, but not while the sidebar is narrow', async ({ openFor }) => {
  const page = await openFor('steward');
  const { items } = await callApi<{ items: { id: number; name: string }[] }>(
    page,
    'GET',
    '/api/reference-data?q=alpha-3',
  );
  await page.goto('/');
  const links = page.getByRole('complementary', { name: 'Sidebar' }).getByRole('link');
  const link = links.filter({ hasText: 'Countries, alpha-3' });
  await expect(links.filter({ hasText: 'All data sets' })).toBeVisible();
  await expect(link).toHaveCount(0);
  await visit(page, `/reference-data/${items[0]?.id}`);
  await expect(link).toHaveAttribute('aria-current', 'page');
  await page.keyboard.press('Control+b');
  await expect(link).toHaveCount(0);
});

test('lays the page out for a small screen when it is zoomed to 200%', async ({ openFor }) => {
  const page = await openFor('steward');
  await page.goto('/favicon.svg');
  await page.evaluate(() => localStorage.setItem('zoom', '2'));
  await page.goto('/reference-data');
  await expect(page.getByRole('button', { name: 'Open navigation' })).toBeVisible();
  // The focus shows the control, which hides after three seconds.
  await page.getByRole('button', { name: 'Zoom 200%, reset' }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('complementary', { name: 'Sidebar' })).toBeVisible();
});

test('opens the item of a row with a tap', async ({ ownBrowser, baseUrl }) => {
  const context = await ownBrowser.newContext({
    baseURL: baseUrl,
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  });
  const phone = await context.newPage();
  await signInByApi(phone, 'approver', SAMPLE_PASSWORD);
  await phone.goto('/approvals');
  await phone.getByRole('row').nth(1).getByRole('gridcell').nth(1).tap();
  await expect(phone.getByRole('dialog')).toContainText('Approve');
  await context.close();
});
