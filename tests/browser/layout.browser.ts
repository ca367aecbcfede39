/** Tests the layout of lists, the sidebar and the zoomed page, taps, and tooltips in a browser (specification §9). */
import { callApi, expect, signInByApi, test, visit } from './fixtures.ts';
import { SAMPLE_PASSWORD } from './stack.ts';

test.use({ reusesPages: true });

test('shows the headers of a list and the user names in its column Updated in full at 1,280 px', async ({
  openFor,
}) => {
  const page = await openFor('steward', { width: 1280, height: 800 });
  await page.goto('/reference-data');
  const cells = page.getByRole('row').filter({ hasText: 'Countries, alpha-3' }).getByRole('gridcell');
  await expect(cells.filter({ hasText: 'Sam Steward' })).toBeVisible();
  const cutTexts = () =>
    page
      .locator('[data-header], td[data-column="updatedAt"]')
      .evaluateAll((texts) =>
        texts
          .filter((text) => text.scrollWidth > text.clientWidth || text.scrollHeight > text.clientHeight)
          .map((text) => text.textContent),
      );
  await expect.poll(cutTexts).toEqual([]);
});

for (const size of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]) {
  test(`keeps the first row at its place when it is selected, at ${size.width} px`, async ({ openFor }) => {
    const page = await openFor('approver', size);
    await page.goto('/approvals');
    const row = page.locator('[data-row="0"]');
    const before = await row.boundingBox();
    await page.getByRole('checkbox', { name: 'Select row 1', exact: true }).click();
    await expect(page.getByRole('region', { name: 'Selected rows' })).toBeVisible();
    expect(await row.boundingBox()).toEqual(before);
  });
}

test('shows the hidden candidates when the number key of a hidden candidate is pressed', async ({ openFor }) => {
  const page = await openFor('steward');
  const { items } = await callApi<{ items: { id: number; name: string }[] }>(page, 'GET', '/api/crosswalks?q=alpha-2');
  await page.goto(`/crosswalks/${items[0]?.id}/mappings?tab=unmapped&q=Åland`);
  const row = page.getByRole('row').filter({ hasText: 'Åland' });
  const last = row.getByRole('button', { name: /^5/ });
  await expect(last).not.toBeInViewport();
  await row.focus();
  await page.keyboard.press('5');
  await expect(last).toBeInViewport();
  await expect(row.getByRole('button', { name: 'Fewer candidates' })).toHaveAttribute('aria-expanded', 'true');
  await page.keyboard.press('o');
  await expect(last).not.toBeInViewport();
});

test('folds the tools of a list into one button on a phone', async ({ openFor }) => {
  const page = await openFor('steward', { width: 390, height: 844 });
  await page.goto('/reference-data');
  const filter = page.getByRole('button', { name: 'Filter', exact: true });
  const options = page.getByRole('button', { name: 'List options' });
  await expect(options).toHaveAttribute('aria-expanded', 'false');
  await expect(filter).toBeHidden();
  await options.click();
  await expect(filter).toBeVisible();
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
  await expect(links.filter({ hasText: 'Reference Data Sets' })).toBeVisible();
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
  // The row must have an item, because the list shows placeholders while it is loading.
  await phone.getByRole('row').filter({ hasText: '→' }).first().getByRole('gridcell').nth(1).tap();
  await expect(phone.getByRole('dialog')).toContainText('Approve');
  // A phone has no keyboard, so no shortcuts are shown.
  await expect(phone.locator('kbd').filter({ visible: true })).toHaveCount(0);
  await context.close();
});

test('replaces the sidebar with a button below 768 px', async ({ openFor }) => {
  const page = await openFor('steward', { width: 768, height: 900 });
  await page.goto('/monitor');
  const sidebar = page.getByRole('complementary', { name: 'Sidebar' });
  await expect(sidebar).toBeVisible();
  await page.setViewportSize({ width: 767, height: 900 });
  await expect(page.getByRole('button', { name: 'Open navigation' })).toBeVisible();
  await expect(sidebar).toHaveCount(0);
});

test('scrolls a wide list by 300 pixels with the arrow that appears on hover', async ({ openFor }) => {
  const page = await openFor('steward', { width: 800, height: 900 });
  await page.goto('/reference-data');
  const list = page.locator('[data-scrolls]', { has: page.getByRole('grid') }).last();
  const arrow = page.getByRole('button', { name: 'Scroll right' });
  await page.getByRole('banner').hover();
  await expect(arrow).toHaveCSS('opacity', '0');
  await page.getByRole('row').nth(1).hover();
  await expect(arrow).toHaveCSS('opacity', '1');
  await arrow.click();
  await expect.poll(() => list.evaluate(({ scrollLeft }) => scrollLeft)).toBe(300);
  await page.getByRole('button', { name: 'Scroll left' }).click();
  await expect.poll(() => list.evaluate(({ scrollLeft }) => scrollLeft)).toBe(0);

  // A change by another user makes the list measure its columns again. If the list is scrolling then, it continues to
  // scroll.
  await expect(async () => {
    await list.evaluate((element) => element.scrollTo({ left: 0, behavior: 'instant' }));
    const changed = list.evaluate(async (element) => {
      while (element.scrollLeft === 0) await new Promise(requestAnimationFrame);
      element.querySelector('td[data-column="name"]')?.append('*');
      return element.scrollLeft;
    });
    await arrow.click();
    // On a busy machine, the list may be at its end in the first frame. In this case, scroll again.
    expect(await changed).toBeLessThan(300);
  }).toPass();
  await expect.poll(() => list.evaluate(({ scrollLeft }) => scrollLeft)).toBe(300);
});

test('shows a tooltip after 700 ms, and at once in the sidebar or within 300 ms after another tooltip', async ({
  openFor,
}) => {
  const page = await openFor('steward', { unshared: true });
  await page.clock.install();
  await page.goto('/monitor');
  await expect(page.getByRole('heading', { level: 1, name: 'Monitor' })).toBeVisible();
  await page.keyboard.press('Control+b');
  const tooltip = page.getByRole('tooltip');
  const search = page.getByRole('button', { name: 'Search and commands' });
  let y = 500;
  /** Moves the mouse until the tooltip has closed, because the tooltip stays open while the mouse is over it. */
  const leave = () =>
    expect
      .poll(async () => {
        y = y === 500 ? 510 : 500;
        await page.mouse.move(700, y);
        return tooltip.count();
      })
      .toBe(0);
  const entry = page.getByRole('complementary', { name: 'Sidebar' }).getByRole('link', { name: 'Crosswalks' });
  await expect(page.getByRole('complementary', { name: 'Sidebar' })).toHaveAttribute('data-state', 'collapsed');
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 5_000);

  await search.hover();
  await page.clock.runFor(699);
  await expect(tooltip).toHaveCount(0);
  await page.clock.runFor(1);
  await expect(tooltip).toHaveText('Search and commands (Ctrl+K)');
  await leave();

  await page.clock.runFor(299);
  await search.hover();
  await expect(tooltip).toHaveCount(1);
  await leave();
  await page.clock.runFor(301);
  await search.hover();
  await page.clock.runFor(100);
  await expect(tooltip).toHaveCount(0);

  await entry.hover();
  await page.clock.runFor(1);
  await expect(tooltip).toHaveText('Crosswalks');
});
