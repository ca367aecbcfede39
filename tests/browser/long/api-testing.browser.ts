/** Tests the API Testing page: refused keys, invalid input, a long file, keyboard use, and the end of the session. */
import {
  apiKey,
  CSV,
  chooseColumn,
  chooseCrosswalk,
  column,
  createApiTestData,
  crosswalkField,
  csvData,
  expectComplete,
  grid,
  rowOf,
  run,
} from '../api-testing-page.ts';
import { callApi, expect, fillSignIn, signInByApi, test, visit } from '../fixtures.ts';
import { tabTo } from '../keyboard.ts';
import { ADMIN_PASSWORD } from '../stack.ts';

test.use({ reusesPages: true });

test('explains refused keys and invalid input, and keeps the input', async ({ openFor }) => {
  const [admin, steward, approver] = await Promise.all([openFor('admin'), openFor('steward'), openFor('approver')]);
  const { createCrosswalk } = await createApiTestData(admin, steward, approver);
  const { name } = await createCrosswalk({ yields: 'NOTHING' });
  await admin.goto('/api-test');

  await test.step('names the missing inputs of a run', async () => {
    await run(admin).click();
    for (const input of ['CSV data', 'API key', 'Crosswalk', 'Column']) {
      await expect(admin.getByText(`${input} is required`)).toBeVisible();
    }
    await expect(csvData(admin)).toBeFocused();
  });

  await test.step('shows an error in each row if the key is wrong, and keeps the user signed in', async () => {
    await csvData(admin).fill(CSV);
    await chooseCrosswalk(admin, name);
    await chooseColumn(admin, 'code');
    await apiKey(admin).fill('rdm_wrong');
    await run(admin).click();
    await expectComplete(admin, '3 rows');
    await expect(grid(admin).getByText('401: This API key is unknown, revoked or expired')).toHaveCount(3);
    await expect(rowOf(admin, 'de')).toContainText('Failed');
    await expect(admin).toHaveURL(/\/api-test$/);
    await visit(admin, '/monitor');
    await expect(admin.getByRole('heading', { name: 'Monitor' })).toBeVisible();
    await visit(admin, '/api-testing');
    await expectComplete(admin, '3 rows');
  });

  await test.step('keeps the CSV data when a file is not UTF-8', async () => {
    const file = { name: 'latin.csv', mimeType: 'text/csv', buffer: Buffer.from('code\nd\xe9', 'latin1') };
    await admin.getByLabel('CSV file').setInputFiles(file);
    await expect(admin.getByText('latin.csv is not UTF-8 text.')).toBeVisible();
    await expect(csvData(admin)).toHaveValue(CSV);
  });

  await test.step('names the row of an unclosed quotation mark', async () => {
    await csvData(admin).fill('code,name\nde,Germany\nuk,"United Kingdom\n');
    await run(admin).click();
    await expect(admin.getByText('A quotation mark in row 2 is not closed.')).toBeVisible();
    await expect(csvData(admin)).toHaveValue(/United Kingdom/);
  });
});

test('shows the rows of a long dropped file 50 per page', async ({ openFor }) => {
  const [admin, steward, approver] = await Promise.all([openFor('admin'), openFor('steward'), openFor('approver')]);
  const { createCrosswalk, key } = await createApiTestData(admin, steward, approver);
  const { name } = await createCrosswalk({ yields: 'NOTHING' });
  await admin.goto('/api-testing');
  const csv = `code\n${Array.from({ length: 10_060 }, (_, index) => (index === 10_059 ? 'de' : `x${index}`)).join('\n')}`;
  await csvData(admin).evaluate((field, text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], 'long.csv'));
    field.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  }, csv);
  await expect(csvData(admin)).toHaveValue(/^long\.csv, \d+ KiB$/);
  // The only column is selected.
  await expect(column(admin)).toHaveText('code');
  await apiKey(admin).fill(key);
  await chooseCrosswalk(admin, name);
  await run(admin).click();
  await expectComplete(admin, '10,060 rows');

  await test.step('scrolls to the rows of a run on a phone', async () => {
    await admin.setViewportSize({ width: 390, height: 844 });
    await run(admin).scrollIntoViewIfNeeded();
    await run(admin).click();
    await expectComplete(admin, '10,060 rows');
    await expect(grid(admin).getByRole('row').nth(3)).toBeInViewport({ ratio: 1 });
    await expect(run(admin)).toBeFocused();
    await admin.setViewportSize({ width: 1440, height: 900 });
  });
  await expect(admin.getByText('1–50 of 10,060')).toBeVisible();
  await admin.getByRole('combobox', { name: 'Status of rows' }).click();
  await admin.getByRole('option', { name: 'Unmapped' }).click();
  await admin.getByRole('button', { name: 'Next page' }).click();
  await expect(admin.getByText('51–100 of 10,059')).toBeVisible();
  await expect(rowOf(admin, 'x50')).toBeVisible();
  await expect(admin).toHaveURL(/\/api-testing$/);

  await test.step('shows the reason for a status on a phone, and does not cover the page buttons', async () => {
    await admin.setViewportSize({ width: 390, height: 844 });
    await expect(rowOf(admin, 'x50').getByText('No approved mapping')).toBeInViewport({ ratio: 1 });
    await grid(admin).evaluate((list) => list.closest('[data-scrolls]')?.scrollTo(0, 400));
    await admin.getByRole('contentinfo').scrollIntoViewIfNeeded();
    await expect(admin.getByRole('button', { name: 'Back to top' })).toBeVisible();
    await admin.getByRole('button', { name: 'Next page' }).click();
    await expect(admin.getByText('101–150 of 10,059')).toBeVisible();
  });
});

test('translates a CSV by keyboard alone', async ({ openFor }) => {
  const [admin, steward, approver] = await Promise.all([openFor('admin'), openFor('steward'), openFor('approver')]);
  const { createCrosswalk, key } = await createApiTestData(admin, steward, approver);
  const { name } = await createCrosswalk({ yields: 'NOTHING' });
  await admin.goto('/api-testing');
  await tabTo(admin, csvData(admin));
  await admin.keyboard.insertText(CSV);
  await tabTo(admin, apiKey(admin));
  await admin.keyboard.insertText(key);
  await tabTo(admin, crosswalkField(admin));
  await admin.keyboard.press('Enter');
  await expect(admin.getByPlaceholder('Type to search')).toBeFocused();
  await admin.keyboard.insertText(name);
  await expect(admin.getByRole('option')).toHaveText([new RegExp(name)]);
  await admin.keyboard.press('Enter');
  await expect(crosswalkField(admin)).toHaveText(name);
  await tabTo(admin, column(admin));
  await admin.keyboard.press('Enter');
  await expect(admin.getByRole('option', { name: 'code' })).toBeVisible();
  await admin.keyboard.press('Home');
  await admin.keyboard.press('Enter');
  await expect(column(admin)).toHaveText('code');
  await tabTo(admin, run(admin));
  await admin.keyboard.press('Enter');
  await expectComplete(admin, '3 rows');
  await expect(rowOf(admin, 'de')).toContainText('DEU');
  // The focus does not move, so that the next Tab reaches the control after the button.
  await expect(run(admin)).toBeFocused();
  await tabTo(admin, admin.getByRole('button', { name: 'Clear', exact: true }));
  await admin.keyboard.press('Space');
  await expect(admin.getByText('No transformed rows yet')).toBeVisible();
});

test('removes the API key and the CSV data when the session ends', async ({ openFor }) => {
  // A separate session, because the test ends the session.
  const admin = await openFor('anonymous');
  await signInByApi(admin, 'admin', ADMIN_PASSWORD);
  await admin.goto('/api-testing');
  await apiKey(admin).fill('rdm_left_behind');
  await csvData(admin).fill(CSV);
  await callApi(admin, 'POST', '/api/logout', {});
  // The next call returns 401, and the sign-in page appears without a page load.
  await visit(admin, '/api-keys');
  await expect(admin).toHaveURL(/\/auth/);
  await fillSignIn(admin, 'admin', ADMIN_PASSWORD);
  await expect(admin.getByRole('button', { name: /^Account of/ })).toBeVisible();
  await visit(admin, '/api-testing');
  await expect(apiKey(admin)).toHaveValue('');
  await expect(csvData(admin)).toHaveValue('');
});

test('empties the page on a reload', async ({ openFor }) => {
  const admin = await openFor('admin');
  await admin.goto('/api-testing');
  await apiKey(admin).fill('rdm_forgotten');
  await csvData(admin).fill(CSV);
  await admin.reload();
  await expect(apiKey(admin)).toHaveValue('');
  await expect(csvData(admin)).toHaveValue('');
});
