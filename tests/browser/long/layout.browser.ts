/**
 * Layout that only a browser can measure: lists, dialogs, bars and long texts at several sizes and zoom levels
 * (specification §9).
 */
import type { Page } from '@playwright/test';
import { callApi, expect, lastAction, test, visit } from '../fixtures.ts';

test.use({ reusesPages: true });

/** Returns the number of rows that fit between the header and the footer of the list. */
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

test('has space for 14 rows in six lists, and for 12 rows in mappings and approvals, at 1,440 × 900', async ({
  openFor,
}) => {
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
  for (const [path, minimum] of Object.entries(lists)) {
    await visit(page, path);
    await expect.poll(() => rowsInView(page), { message: path }).toBeGreaterThanOrEqual(minimum);
  }
});

test('shows the available actions on selected rows first on a phone, in a bar of two lines', async ({ openFor }) => {
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
  // The route decides nothing, because other tests use the items of the sample data.
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
  test(`shows the undo bar below the bar of the selected rows on a phone with a height of ${height} px`, async ({
    openFor,
  }) => {
    const page = await openFor('steward', { width: 390, height });
    const { items } = await callApi<{ items: { id: number }[] }>(page, 'GET', '/api/crosswalks?q=alpha-2');
    // The route dismisses nothing, because other tests use the suggestions of the sample data.
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

test('shows the time of a change beside a long sentence', async ({ openFor }) => {
  const page = await openFor('approver', { width: 1440, height: 900 });
  await page.route('**/api/home/changes*', async (route) => {
    const line = 'Sam Steward changed a mapping of a crosswalk with a very long name '.repeat(5);
    const change = { id: 1, timestamp: new Date().toISOString(), line, subjectType: 'crosswalk', subjectId: 1 };
    await route.fulfill({ json: { items: [{ ...change, statusAfter: null }], page: 1, pageSize: 8, total: 1 } });
  });
  await page.goto('/');
  const change = page.getByRole('listitem').filter({ hasText: 'with a very long name' });
  // Repeat the measurements, because a section that loads in between moves the sentence.
  await expect(async () => {
    const sentence = await change.getByRole('link').boundingBox();
    const time = await change.locator('time').boundingBox();
    expect(time?.y).toBeLessThan((sentence?.y ?? 0) + 20);
    expect(time?.x).toBeGreaterThan((sentence?.x ?? 0) + (sentence?.width ?? 0));
  }).toPass();
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

test('places the zoom control outside the content at several zoom levels and sidebar widths', async ({ openFor }) => {
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
