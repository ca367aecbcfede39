/** The layout of lists, dialogs, tooltips and the sidebar, where only a browser can measure it (specification §9). */
import type { Page } from '@playwright/test';
import { callApi, expect, lastAction, signInByApi, test, visit } from './fixtures.ts';
import { SAMPLE_PASSWORD } from './stack.ts';

test.use({ reusesPages: true });

test('shows the headers and the user names of a list in full at 1,280 px', async ({ openFor }) => {
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

/** The number of rows of the first row's height that fit between the head and the footer of the list. */
async function rowsInView(page: Page): Promise<number> {
  const first = await page
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell') })
    .first()
    .boundingBox();
  const footer = await page.getByRole('navigation', { name: 'Pages' }).boundingBox();
  if (first === null || footer === null) return 0;
  return Math.floor((footer.y - first.y) / first.height);
}

test('shows at least 14 rows of a list, and 12 of mappings and approvals, at 1,440 × 900', async ({ openFor }) => {
  const page = await openFor('admin');
  const { items } = await callApi<{ items: { id: number; name: string }[] }>(page, 'GET', '/api/crosswalks?q=alpha-2');
  const mappings = `/crosswalks/${items[0]?.id}/mappings`;
  const lists: Record<string, number> = {};
  for (const path of [
    '/reference-data',
    '/collections',
    '/crosswalks',
    '/reference-types',
    '/manage-users',
    '/roles',
  ]) {
    lists[path] = 14;
  }
  for (const tab of ['unmapped', 'suggested', 'draft', 'pending', 'approved']) lists[`${mappings}?tab=${tab}`] = 12;
  for (const tab of ['review', 'decided']) lists[`/approvals?tab=${tab}`] = 12;
  for (const [path, least] of Object.entries(lists)) {
    await visit(page, path);
    await expect.poll(() => rowsInView(page), { message: path }).toBeGreaterThanOrEqual(least);
  }
});

for (const size of [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]) {
  test(`keeps the rows at their place when the first row is selected, at ${size.width} px`, async ({ openFor }) => {
    const page = await openFor('approver', size);
    await page.goto('/approvals');
    const row = page.locator('[data-row="0"]');
    const before = await row.boundingBox();
    await page.getByRole('checkbox', { name: 'Select row 1', exact: true }).click();
    await expect(page.getByRole('region', { name: 'Selected rows' })).toBeVisible();
    expect(await row.boundingBox()).toEqual(before);
  });
}

test('shows the actions on selected rows in two lines on the smallest phone, the available ones first', async ({
  openFor,
}) => {
  const page = await openFor('steward', { width: 320, height: 568 });
  await page.goto('/crosswalks');
  await page.getByRole('checkbox', { name: 'Select row 1', exact: true }).click();
  const bar = page.getByRole('region', { name: 'Selected rows' });
  await expect(bar.getByRole('button', { name: 'Delete' })).toBeInViewport({ ratio: 1 });
  const last = bar.getByRole('button', { name: 'Discard draft' });
  await expect(last).not.toBeInViewport();
  expect((await bar.boundingBox())?.height).toBeLessThan(80);
  await last.scrollIntoViewIfNeeded();
  await expect(last).toBeInViewport({ ratio: 1 });
});

test('keeps the size of a list when a bar offers to undo a decision', async ({ openFor }) => {
  const page = await openFor('approver', { width: 1440, height: 900 });
  // Decides nothing, because other tests use the items of the sample data.
  await page.route('**/api/approvals/decide', async (route) => {
    const { items } = route.request().postDataJSON() as { items: { kind: string; parentId: number; id: number }[] };
    const results = items.map(({ kind, parentId, id }) => ({ kind, parentId, id, outcome: 'done', revision: 9 }));
    await route.fulfill({ json: { commandId: crypto.randomUUID(), position: '0/0', results } });
  });
  await page.goto('/approvals');
  await page.locator('[data-row="0"]').focus();
  const pager = page.getByRole('navigation', { name: 'Pages' });
  const before = await pager.boundingBox();
  await page.keyboard.press('a');
  const bar = lastAction(page);
  await expect(bar).toBeInViewport({ ratio: 1 });
  expect(await pager.boundingBox()).toEqual(before);
  expect((await bar.boundingBox())?.y).toBeGreaterThanOrEqual((before?.y ?? 0) + (before?.height ?? 0));
  await bar.getByRole('button', { name: 'Dismiss' }).click();
  await expect(bar).toHaveCount(0);
});

for (const height of [844, 600]) {
  test(`keeps the offer to undo in sight on a phone, beside the bar of the selected rows, at ${height} px`, async ({
    openFor,
  }) => {
    const page = await openFor('steward', { width: 390, height });
    const { items } = await callApi<{ items: { id: number }[] }>(page, 'GET', '/api/crosswalks?q=alpha-2');
    // Dismisses nothing, because other tests use the suggestions of the sample data.
    await page.route('**/suggestions/dismiss', (route) =>
      route.fulfill({
        json: { commandId: crypto.randomUUID(), position: '0/0', results: [{ id: 1, outcome: 'done' }] },
      }),
    );
    await page.goto(`/crosswalks/${items[0]?.id}/mappings?tab=suggested`);
    await page.locator('[data-row="0"]').focus();
    await page.keyboard.press('r');
    const bar = lastAction(page);
    await expect(bar).toBeInViewport({ ratio: 1 });
    await page.getByRole('checkbox', { name: 'Select row 1', exact: true }).click();
    await page.locator('[data-scrolls]', { has: page.getByRole('main') }).evaluate((area) => area.scrollTo(0, 9_999));
    await expect(bar).toBeInViewport({ ratio: 1 });
    const top = (await bar.boundingBox())?.y;
    for (const above of [
      page.getByRole('region', { name: 'Selected rows' }),
      page.getByRole('navigation', { name: 'Pages' }),
    ]) {
      const box = await above.boundingBox();
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(top ?? 0);
    }
  });
}

test('shows the time of a change beside its sentence, however long the sentence is', async ({ openFor }) => {
  const page = await openFor('approver', { width: 1440, height: 900 });
  await page.route('**/api/home/changes*', async (route) => {
    const line = 'Sam Steward changed a mapping of a crosswalk with a very long name '.repeat(5);
    const change = { id: 1, timestamp: new Date().toISOString(), line, subjectType: 'crosswalk', subjectId: 1 };
    await route.fulfill({ json: { items: [{ ...change, statusAfter: null }], page: 1, pageSize: 8, total: 1 } });
  });
  await page.goto('/');
  const change = page.getByRole('listitem').filter({ hasText: 'with a very long name' });
  const sentence = await change.getByRole('link').boundingBox();
  const time = await change.locator('time').boundingBox();
  expect(time?.y).toBeLessThan((sentence?.y ?? 0) + 20);
  expect(time?.x).toBeGreaterThan((sentence?.x ?? 0) + (sentence?.width ?? 0));
});

test('opens the candidates that do not fit before a key accepts one of them', async ({ openFor }) => {
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

test('shows a candidate with a long reason on one line', async ({ openFor }) => {
  const page = await openFor('steward');
  const { items } = await callApi<{ items: { id: number; name: string }[] }>(page, 'GET', '/api/crosswalks?q=alpha-2');
  const reason = 'Both are labelled with a very long name of a country, apart from case and punctuation';
  await page.route('**/suggestions?**', async (route) => {
    const answer = await route.fetch();
    const list = await answer.json();
    for (const { candidates } of list.items) for (const candidate of candidates) candidate.reason = reason;
    await route.fulfill({ response: answer, json: list });
  });
  await page.goto(`/crosswalks/${items[0]?.id}/mappings?tab=suggested`);
  const candidates = page.locator('[data-candidates]').first();
  const best = candidates.getByRole('button').filter({ hasText: reason });
  await expect(best).toBeVisible();
  const [list, button] = [await candidates.boundingBox(), await best.boundingBox()];
  expect(button?.height).toBeLessThanOrEqual(list?.height ?? 0);
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

test('keeps the zoom control off the content, at every zoom and width of the sidebar', async ({ openFor }) => {
  const page = await openFor('steward');
  for (const zoom of ['0.5', '1', '1.5']) {
    await page.goto('/favicon.svg');
    await page.evaluate((stored) => localStorage.setItem('zoom', stored), zoom);
    await page.goto('/reference-data');
    for (const width of ['wide', 'narrow']) {
      const control = await page.getByRole('region', { name: 'Zoom' }).boundingBox();
      const main = await page.getByRole('main').boundingBox();
      expect((control?.x ?? 0) + (control?.width ?? 0), `${zoom}, ${width}`).toBeLessThanOrEqual(main?.x ?? 0);
      await page.keyboard.press('Control+b');
      await expect(page.getByRole('complementary', { name: 'Sidebar' })).toHaveAttribute(
        'data-state',
        width === 'wide' ? 'collapsed' : 'expanded',
      );
    }
  }
  await page.evaluate(() => localStorage.removeItem('zoom'));
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

test('replaces the sidebar by a sheet below 768 px', async ({ openFor }) => {
  const page = await openFor('steward', { width: 768, height: 900 });
  await page.goto('/monitor');
  const sidebar = page.getByRole('complementary', { name: 'Sidebar' });
  await expect(sidebar).toBeVisible();
  await page.setViewportSize({ width: 767, height: 900 });
  await expect(page.getByRole('button', { name: 'Open navigation' })).toBeVisible();
  await expect(sidebar).toHaveCount(0);
});

test('opens dialogs at 90%, 60% and 40% of the width and at most 80% of the height', async ({ openFor }) => {
  const page = await openFor('steward');
  await page.goto('/reference-types?new=true');
  const dialog = page.getByRole('dialog', { name: 'Add New Type' });
  // The dialog gets more fields than fit into it.
  for (let field = 1; field < 20; field++) await dialog.getByRole('button', { name: 'Add Field' }).click();
  for (const [width, share] of [
    [390, 0.9],
    [1024, 0.6],
    [1440, 0.4],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await expect
      .poll(async () => {
        const box = await dialog.boundingBox();
        return [Math.round(box?.width ?? 0), Math.round(box?.height ?? 0)];
      })
      .toEqual([Math.round(width * share), 900 * 0.8]);
  }
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

  // A change by another user arrives while the list is scrolling: its columns are measured again.
  const changed = list.evaluate(async (element) => {
    while (element.scrollLeft < 250) await new Promise(requestAnimationFrame);
    element.querySelector('td[data-column="name"]')?.append('*');
    return element.scrollLeft;
  });
  await arrow.click();
  expect(await changed).toBeLessThan(300);
  await expect.poll(() => list.evaluate(({ scrollLeft }) => scrollLeft)).toBe(300);
});

test('shows a tooltip after 700 ms, at once in the sidebar and within 300 ms after another one', async ({
  openFor,
}) => {
  const page = await openFor('steward', { unshared: true });
  await page.clock.install();
  await page.goto('/monitor');
  await expect(page.getByRole('heading', { level: 1, name: 'Monitor' })).toBeVisible();
  await page.keyboard.press('Control+b');
  const tooltip = page.getByRole('tooltip');
  const search = page.getByRole('button', { name: 'Search and commands' });
  /** Moves the mouse until the tooltip has closed: it stays open while the mouse is over it. */
  let y = 500;
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
