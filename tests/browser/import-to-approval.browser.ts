/**
 * The main task of the product: the steward imports a code list and submits mappings, the approver approves the
 * mappings, and the administrator replays the history. Open pages of other users change without a reload.
 */
import type { Locator, Page } from '@playwright/test';
import { codeList, createNomenclature, FAILED_ROWS, IMPORTED_CODES } from './code-list.ts';
import { callApi, expect, lastAction, test, uniqueName } from './fixtures.ts';

test.use({ reusesPages: true });

/** Marks the document; a reload would remove the mark. */
const markDocument = (page: Page) => page.evaluate(() => document.body.setAttribute('data-marked', ''));
const expectNeverReloaded = (page: Page) => expect(page.locator('body')).toHaveAttribute('data-marked', '');

const figure = (page: Page, label: string) =>
  page
    .locator('dl > div')
    .filter({ has: page.getByText(label, { exact: true }) })
    .locator('dd');
const tab = (page: Page, name: string, count: string) =>
  page.getByRole('tab', { name: new RegExp(`^${name}\\s*${count}$`) });

/** Selects all rows of the list, on all pages. */
async function selectAll(grid: Locator, page: Page, count: string): Promise<void> {
  await grid.getByRole('checkbox', { name: 'Select all rows on this page' }).click();
  await page.getByRole('button', { name: `Select all ${count} matching rows` }).click();
  await expect(page.getByText(`All ${count} matching rows are selected`)).toBeVisible();
}

test('imports, maps, submits, approves and replays a code list', async ({ openFor }) => {
  test.setTimeout(240_000);
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const admin = await openFor('admin');
  const { source, target } = await createNomenclature(steward, approver);
  const crosswalk = uniqueName('Activities to ledger');
  let crosswalkId = 0;

  await test.step('imports a file of 5,000 rows while the approver views the data set', async () => {
    await approver.goto(`/reference-data/${source.id}`);
    await expect(approver.getByText('No rows yet')).toBeVisible();
    await markDocument(approver);

    await steward.goto(`/reference-data/${source.id}`);
    await steward.getByRole('link', { name: 'Import' }).first().click();
    await steward.locator('input[type="file"]').setInputFiles({
      name: 'activities.csv',
      mimeType: 'text/csv',
      buffer: codeList(),
    });
    await expect(steward.getByRole('heading', { name: 'How is the file read?' })).toBeVisible();
    await steward.getByText('Read options').click();
    await expect(steward.getByRole('combobox', { name: 'Encoding' })).toHaveText('utf-8');
    await expect(steward.getByRole('combobox', { name: 'Delimiter' })).toHaveText('Comma ,');
    await expect(steward.getByRole('region', { name: 'First rows' }).last()).toContainText('00001');
    await steward.getByRole('button', { name: 'Next' }).click();
    await steward.getByLabel(/^Job description/).fill('Activities of this year');
    await steward.getByRole('button', { name: 'Import 4,995 rows, skip 5' }).click();
  });

  await test.step('lists the failed rows with reasons', async () => {
    await expect(steward.getByText('Done', { exact: true })).toBeVisible({ timeout: 60_000 });
    await expect(steward.getByText('5 of 5,000 rows failed; 4,995 were imported.')).toBeVisible();
    for (const [label, count] of [
      ['Rows in the file', '5,000'],
      ['Created', '4,995'],
      ['Changed', '0'],
      ['Unchanged', '0'],
      ['Failed', '5'],
      ['Skipped', '0'],
    ] as const) {
      await expect(figure(steward, label), label).toHaveText(count);
    }
    const failed = steward.getByRole('grid', { name: 'Rows that failed' });
    await expect(failed.locator('[data-row]')).toHaveCount(FAILED_ROWS.length);
    for (const [index, { line, column, value, reason }] of FAILED_ROWS.entries()) {
      const cells = failed.locator(`[data-row="${index}"]`).getByRole('gridcell');
      await expect(cells.nth(0)).toHaveText(line);
      await expect(cells.nth(1)).toHaveText(column);
      await expect(cells.nth(2)).toHaveText(value);
      await expect(cells.nth(3)).toHaveText(reason);
    }
  });

  await test.step('shows the rows to the approver without a reload, and exports every leading zero', async () => {
    for (const page of [approver, steward]) {
      if (page === steward) await steward.getByRole('link', { name: `Open ${source.name}` }).click();
      const rows = page.getByRole('grid', { name: source.name });
      await expect(rows.locator('[data-row="0"]')).toContainText('00001');
      await expect(page.getByText('1–50 of 4,995')).toBeVisible();
    }
    await expectNeverReloaded(approver);
    const exported = await steward.request.get(`/api/reference-data/${source.id}/export?format=csv&sort=code`);
    const codes = (await exported.text())
      .split(/\r?\n/)
      .slice(1)
      .filter((line) => line !== '')
      .map((line) => line.split(',')[0]?.replaceAll('"', ''));
    expect(codes).toEqual(IMPORTED_CODES);
  });

  await test.step('creates a crosswalk to the second data set', async () => {
    await steward.goto('/crosswalks/create');
    await steward.getByLabel(/^Name/).fill(crosswalk);
    for (const [side, { name }] of [
      ['Source', source],
      ['Target', target],
    ] as const) {
      await steward.getByLabel(new RegExp(`^${side} data set`)).click();
      await steward.getByRole('combobox', { name: `${side} data sets` }).fill(name);
      await steward.getByRole('option', { name }).click();
      await expect(steward.getByRole('combobox', { name: new RegExp(`^${side} attribute`) })).toContainText('code');
    }
    await steward.getByRole('button', { name: 'Create crosswalk' }).click();
    await expect(steward.getByRole('heading', { level: 1, name: crosswalk })).toBeVisible();
    await expect(tab(steward, 'Unmapped', '4,995')).toBeVisible();
    crosswalkId = Number(/crosswalks\/(\d+)\//.exec(steward.url())?.[1]);
  });

  await test.step('accepts the suggestions in bulk', async () => {
    await markDocument(steward);
    await steward.getByRole('button', { name: 'Accept all…' }).click();
    await steward.getByLabel(/confidence of at least/).fill('100');
    await steward.getByRole('button', { name: 'Accept 1,200' }).click({ timeout: 60_000 });
    await expect(lastAction(steward)).toContainText('1,200 mappings drafted.', { timeout: 60_000 });
    await expect(tab(steward, 'Draft', '1,200')).toBeVisible();
    await expect(tab(steward, 'Unmapped', '3,795')).toBeVisible();
  });

  await test.step('submits the mappings, and shows them to the approver on the approvals dashboard', async () => {
    await approver.goto('/approvals?by=parent');
    await expect(
      approver.getByRole('navigation', { name: 'Queue' }).getByRole('button', { name: /^All/ }),
    ).toBeVisible();
    await expect(approver.getByRole('button', { name: new RegExp(crosswalk) })).toHaveCount(0);
    await markDocument(approver);

    await tab(steward, 'Draft', '1,200').click();
    await selectAll(steward.getByRole('grid', { name: 'draft mappings' }), steward, '1,200');
    await steward.getByRole('button', { name: 'Submit', exact: true }).first().click();
    const confirmation = steward.getByRole('dialog', { name: 'Submit 1,200 mappings?' });
    await confirmation.getByLabel('Comment').fill('The activities of this year');
    await confirmation.getByRole('button', { name: 'Submit' }).click();
    await expect(lastAction(steward)).toContainText('Submitted: 1,200 mappings.', { timeout: 60_000 });
    await expect(tab(steward, 'Pending', '1,200')).toBeVisible();

    const group = approver.getByRole('button', { name: new RegExp(crosswalk) });
    await expect(group).toContainText('1,201');
    await expectNeverReloaded(approver);
    await group.click();
  });

  await test.step('disables the approval for the steward who submitted the mappings', async () => {
    await tab(steward, 'Pending', '1,200').click();
    const pending = steward.getByRole('grid', { name: 'pending mappings' });
    await expect(pending.locator('[data-row="0"]')).toContainText('00001');
    await expect(pending.locator('[data-row="0"]').getByRole('button', { name: 'Approve' })).toBeDisabled();
  });

  await test.step('approves the crosswalk and its mappings in bulk', async () => {
    const reviewGrid = approver.getByRole('grid', { name: 'Approvals: review' });
    await expect(approver.getByText('1–50 of 1,201')).toBeVisible();
    await selectAll(reviewGrid, approver, '1,201');
    await approver
      .getByRole('region', { name: 'Selected rows' })
      .getByRole('button', { name: 'Approve', exact: true })
      .click();
    const confirmation = approver.getByRole('dialog', { name: 'Approve 1,201 items?' });
    await confirmation.getByRole('button', { name: 'Approve' }).click();
    await expect(lastAction(approver)).toContainText('Approved: 1,201 items.', { timeout: 60_000 });
    await expect(approver.getByRole('button', { name: new RegExp(crosswalk) })).toHaveCount(0);
  });

  await test.step('shows the approved mappings to the steward without a reload', async () => {
    await expect(tab(steward, 'Approved', '1,200')).toBeVisible();
    await expect(tab(steward, 'Pending', '0')).toBeVisible();
    await tab(steward, 'Approved', '1,200').click();
    const approved = steward.getByRole('grid', { name: 'approved mappings' });
    await expect(approved.locator('[data-row="0"]')).toContainText('00001');
    await expect(approved.locator('[data-row="0"]')).toContainText('Ada Approver');
    await expect(figure(steward, 'Served mappings')).toHaveText('1,200');
    await expectNeverReloaded(steward);
  });

  await test.step('lists the submission as approved, and translates with its mappings', async () => {
    // The list also has newer submissions of other tests, so the filter selects this crosswalk.
    const crosswalkFilter = {
      logic: 'AND',
      conditions: [{ field: 'parentName', operator: 'equals', value: crosswalk }],
    };
    await steward.goto(`/approvals?tab=submitted&filter=${encodeURIComponent(JSON.stringify(crosswalkFilter))}`);
    const submitted = steward.getByRole('grid', { name: 'Approvals: submitted' });
    await expect(submitted.getByText('Approved', { exact: true }).first()).toBeVisible();
    const translation = await callApi(steward, 'GET', `/api/crosswalks/${crosswalkId}/translate?value=00007`);
    expect(translation).toMatchObject({ value: '00007', results: [{ targetValue: '00007' }] });
  });

  await test.step('replays the history of one mapping as the administrator', async () => {
    const crosswalkFilter = {
      logic: 'AND',
      conditions: [
        { field: 'entityType', operator: 'equals', value: 'mappings' },
        { field: 'entityId', operator: 'equals', value: crosswalkId },
      ],
    };
    await admin.goto(`/audit-logs?filter=${encodeURIComponent(JSON.stringify(crosswalkFilter))}`);
    const entries = admin.getByRole('grid', { name: 'All' });
    await expect(entries.locator('[data-row="0"]')).toContainText('Mappings approved');
    await expect(entries.locator('[data-row="0"]')).toContainText(crosswalk);
    await entries.locator('[data-row="0"]').dblclick();
    await admin
      .getByRole('dialog')
      .getByRole('link', { name: /^Mapping \d+/ })
      .first()
      .click();
    await expect(admin.getByRole('heading', { level: 1 })).toHaveText(
      new RegExp(`^Replay of mapping “.+ → .+” of crosswalk “${crosswalk}”$`),
    );
    const steps = admin.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    await expect(steps).toHaveText([/Mappings drafted/, /Mappings submitted/, /Mappings approved/]);
    const state = admin.getByRole('region', { name: 'State after this event' });
    for (const [step, person, status] of [
      [1, 'Sam Steward', 'Draft'],
      [2, 'Sam Steward', 'Pending'],
      [3, 'Ada Approver', 'Approved'],
    ] as const) {
      await expect(admin.getByText(`Step ${step} of 3`)).toBeVisible();
      await expect(steps.nth(step - 1)).toContainText(person);
      await expect(state).toContainText(status);
      if (step < 3) await admin.getByRole('button', { name: 'Next' }).click();
    }
    await admin.getByRole('link', { name: 'Back to the audit logs' }).click();
    await admin.getByRole('button', { name: 'Verify chain' }).click();
    await expect(admin.getByRole('dialog')).toContainText('The chain is intact', { timeout: 60_000 });
  });
});

test('shows an added row in another browser without a reload, and measures the delay', async ({
  openFor,
}, testInfo) => {
  const CHANGES = process.env['FAULTS'] === 'long' ? 12 : 4;
  /** The pause before each change: longer than a page collects live changes, so that it shows each change alone. */
  const PAUSE_MS = 400;
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const { source } = await createNomenclature(steward, approver);
  await steward.goto('/help');
  // All rows must fit into the viewport, because the list does not render rows below it.
  await approver.setViewportSize({ width: 1280, height: 1600 });
  await approver.goto(`/reference-data/${source.id}`);
  await expect(approver.getByText('No rows yet')).toBeVisible();
  // Both browsers use the clock of this machine, so their times can be compared.
  await approver.evaluate(() => {
    const firstSeenAt: Record<string, number> = {};
    Object.assign(window, { seenAt: firstSeenAt });
    new MutationObserver(() => {
      for (const cell of document.querySelectorAll('[data-row] td')) {
        const text = cell.textContent ?? '';
        if (/^M\d+$/.test(text)) firstSeenAt[text] ??= performance.timeOrigin + performance.now();
      }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });

  const codes = Array.from({ length: CHANGES }, (_, index) => `M${String(index + 1).padStart(4, '0')}`);
  const latencies: number[] = [];
  for (const code of codes) {
    const acceptedAt = await steward.evaluate(
      async ({ dataSetId, code, pause }) => {
        await new Promise((resolve) => setTimeout(resolve, pause));
        const response = await fetch(`/api/reference-data/${dataSetId}/instances`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `measured-${dataSetId}-${code}` },
          body: JSON.stringify({ rows: [{ data: { code, title: 'Measured', level: 1 } }] }),
        });
        if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
        return performance.timeOrigin + performance.now();
      },
      { dataSetId: source.id, code, pause: PAUSE_MS },
    );
    await expect(approver.getByText(code, { exact: true })).toBeVisible();
    const seenAt = await approver.evaluate(
      (name) => (window as unknown as { seenAt: Record<string, number> }).seenAt[name] ?? Number.NaN,
      code,
    );
    latencies.push(seenAt - acceptedAt);
  }

  const sorted = [...latencies].sort((left, right) => left - right);
  const percentile = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
  const figures = `p50 ${percentile(0.5)} ms, p95 ${percentile(0.95)} ms over ${CHANGES} changes`;
  testInfo.annotations.push({ type: 'command accepted → row visible in the other browser', description: figures });
  console.log(`    command accepted → row visible in the other browser: ${figures}`);
  expect(latencies).toHaveLength(CHANGES);
  expect(latencies.every(Number.isFinite)).toBe(true);
});
