/** The time control: after changes and approvals, pages as of an earlier time show the earlier state, read-only. */
import type { Page } from '@playwright/test';
import { expectAccessibleInBothThemes } from './axe.ts';
import { createCitiesAndCountries } from './cities-and-countries.ts';
import { callApi, expect, test, uniqueName } from './fixtures.ts';

test.use({ reusesPages: true });

interface Row {
  id: number;
  revision: number;
}

/** Waits until the current second is over and returns its end, a time after all earlier changes. */
async function waitForPastSecond(): Promise<Date> {
  const second = new Date(Math.ceil(Date.now() / 1_000) * 1_000);
  await expect.poll(() => Date.now()).toBeGreaterThan(second.getTime() + 50);
  return second;
}

/** Opens the state as of a time. Enters the time in the time zone of the browser. */
async function openAsOf(page: Page, at: Date): Promise<void> {
  const text = await page.evaluate((time) => {
    const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
    return local.toISOString().slice(0, 19);
  }, at.getTime());
  await page.getByRole('button', { name: 'View the past' }).click();
  await expect(page.getByRole('dialog', { name: 'View the past' })).toContainText('UTC');
  await page.getByLabel('As of').fill(text);
  await page.getByRole('button', { name: 'Show' }).click();
}

const bannerOf = (page: Page) => page.getByRole('region', { name: 'Viewing the past' });

test('shows an earlier state unchanged after later changes', async ({ openFor }) => {
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const { cities, countries } = await createCitiesAndCountries(steward, approver);
  const crosswalk = uniqueName('Cities to countries');
  const { id: crosswalkId } = await callApi(steward, 'POST', '/api/crosswalks', {
    name: crosswalk,
    sourceSystemId: cities.id,
    targetSystemId: countries.id,
    sourceAttribute: 'code',
    targetAttribute: 'code',
  });
  const path = `/api/crosswalks/${crosswalkId}`;
  await callApi(steward, 'POST', `${path}/mappings`, {
    rows: [{ sourceValue: 'VIE', targetValue: 'AT', confidence: 100, origin: 'MANUAL' }],
  });
  const mappings = async (page: Page, tab: string) =>
    (await callApi<{ items: Row[] }>(page, 'GET', `${path}/mappings?tab=${tab}`)).items.map(({ id, revision }) => ({
      id,
      revision,
    }));
  await callApi(steward, 'POST', `${path}/submit`, {});
  await callApi(steward, 'POST', `${path}/mappings/submit`, { rows: await mappings(steward, 'draft') });

  const before = await waitForPastSecond();
  const rows = `/api/reference-data/${cities.id}/instances`;
  const [vienna] = (await callApi<{ items: Row[] }>(steward, 'GET', `${rows}?key=VIE`)).items;
  await callApi(steward, 'PATCH', rows, [{ id: vienna?.id, revision: vienna?.revision, data: { name: 'Wien' } }]);
  await callApi(approver, 'POST', `${path}/approve`, {});
  await callApi(approver, 'POST', `${path}/mappings/approve`, { rows: await mappings(approver, 'pending') });

  await test.step('shows the rows as of the earlier time, read-only', async () => {
    await steward.goto(`/reference-data/${cities.id}`);
    await expect(steward.getByRole('row', { name: /VIE.*Wien/ })).toBeVisible();
    await expect(steward.getByRole('button', { name: 'Add row' })).toBeVisible();
    await openAsOf(steward, before);
    await expect(bannerOf(steward)).toContainText(/As of .*\(event \d+\) · read-only/);
    await expect(steward.getByRole('row', { name: /VIE.*Vienna/ })).toBeVisible();
    for (const name of ['Add row', 'Replace', 'Undo']) {
      await expect(steward.getByRole('button', { name, exact: true })).toHaveCount(0);
    }
    await expect(steward.getByRole('link', { name: 'Import' })).toHaveCount(0);
    await expect(steward.getByRole('checkbox')).toHaveCount(0);
    await steward.getByRole('button', { name: 'Actions for row 1' }).click();
    await expect(steward.getByRole('menuitem')).toHaveText(['History']);
    await steward.keyboard.press('Escape');
    await expectAccessibleInBothThemes(steward, 'the rows of a data set in the past');
  });

  await test.step('shows no later changes after a reload', async () => {
    const [graz] = (await callApi<{ items: Row[] }>(steward, 'GET', `${rows}?key=GRZ`)).items;
    await callApi(steward, 'DELETE', rows, { rows: [{ id: graz?.id, revision: graz?.revision }] });
    await steward.reload();
    await expect(steward.getByRole('row', { name: /GRZ.*Graz/ })).toBeVisible();
  });

  await test.step('exports files of a past time', async () => {
    await steward.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      steward.waitForEvent('download'),
      steward.getByRole('menuitem', { name: 'CSV' }).first().click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    expect(text).toContain('VIE,Vienna');
    expect(text).toContain('GRZ,Graz');
  });

  await test.step('keeps the time in links, and shows that a page has no earlier states', async () => {
    const navigation = steward.getByRole('navigation', { name: 'Main' });
    await navigation.getByRole('link', { name: 'Crosswalks' }).click();
    await expect(steward).toHaveURL(/\/crosswalks\?asOf=/);
    await steward.getByRole('link', { name: crosswalk }).click();
    await expect(steward.getByRole('heading', { level: 1 })).toContainText('Pending');
    await expect(steward.getByRole('tab', { name: /^Pending\s*1$/ })).toBeVisible();
    await expect(steward.getByRole('tab', { name: /^Approved\s*0$/ })).toBeVisible();
    await expect(steward.getByRole('tab', { name: /Suggested/ })).toHaveCount(0);
    await steward.getByRole('tab', { name: /^Pending/ }).click();
    await expect(steward.getByRole('row', { name: /VIE.*AT/ })).toBeVisible();
    await expect(steward.getByRole('button', { name: /\b(Recall|Submit|Accept|Import)\b/ })).toHaveCount(0);
    await expectAccessibleInBothThemes(steward, 'a crosswalk in the past');
    await navigation.getByRole('link', { name: 'Approvals Dashboard' }).click();
    await expect(steward.getByText('This page is not available for the past')).toBeVisible();
    await expectAccessibleInBothThemes(steward, 'a page without a past');
    await steward.goBack();
    await expect(steward.getByRole('row', { name: /VIE.*AT/ })).toBeVisible();
  });

  await test.step('returns to the present', async () => {
    await bannerOf(steward).getByRole('link', { name: 'Back to now' }).click();
    await expect(bannerOf(steward)).toHaveCount(0);
    await expect(steward).not.toHaveURL(/asOf/);
    await expect(steward.getByRole('tab', { name: /^Approved\s*1$/ })).toBeVisible();
    await expect(steward.getByRole('button', { name: 'Import' })).toBeVisible();
  });

  await test.step('opens the page as of a change in the history of a row', async () => {
    await steward.goto(`/reference-data/${cities.id}?row=${vienna?.id}`);
    const history = steward.getByRole('dialog', { name: 'VIE' });
    await history.getByRole('link', { name: 'Open the page as of this change' }).last().click();
    await expect(steward).toHaveURL(/asOf=seq:\d+/);
    await expect(history.getByRole('listitem')).toHaveCount(1);
    await expect(history).toContainText('Vienna');
    await history.getByRole('button', { name: 'Close' }).click();
    await expect(steward.getByRole('row', { name: /VIE.*Vienna/ })).toBeVisible();
  });

  await test.step('works on a phone', async () => {
    const phone = await openFor('steward', { width: 390, height: 844 });
    await phone.goto(`/reference-data/${cities.id}`);
    await openAsOf(phone, before);
    await expect(bannerOf(phone)).toContainText('read-only');
    await expect(phone.getByRole('row', { name: /VIE.*Vienna/ })).toBeVisible();
    const overflow = await phone.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBe(0);
    await phone.getByRole('button', { name: 'View the past' }).click();
    await phone.getByRole('link', { name: 'Now', exact: true }).click();
    await expect(phone.getByRole('row', { name: /VIE.*Wien/ })).toBeVisible();
  });
});
