/** The Validation Test page: files on a phone, the keyboard alone, and users without the route. */
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import {
  CORRECTED,
  createAgents,
  FAULTY,
  lines,
  result,
  rowsField,
  rule,
  validateButton,
  verdict,
} from '../validation-page.ts';

test.use({ reusesPages: true });

/** Creates a file in the page, and drops it on the drop zone for rows. */
async function drop(page: Page, name: string, content: string, times = 1): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    (file) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([file.content.repeat(file.times)], file.name));
      return transfer;
    },
    { name, content, times },
  );
  await page.getByRole('button', { name: /^Choose a(nother)? file$/ }).dispatchEvent('drop', { dataTransfer });
}

test('drops a file, removes it, and validates a chosen file against a type', async ({ openFor }) => {
  const steward = await openFor('steward', { width: 390, height: 844 });
  const { type } = await createAgents(steward);
  await steward.goto(`/reference-types?q=${encodeURIComponent(type.name)}`);
  await steward.getByRole('button', { name: /^Actions for row/ }).click();
  await steward.getByRole('menuitem', { name: 'Validate rows' }).click();
  await expect(steward).toHaveURL(new RegExp(`/validation-test\\?type=${type.id}$`));

  await drop(steward, 'agents.json', '[{"code": 7}, {"code": "008", "level": 1}]');
  await expect(steward.getByText('agents.json')).toBeVisible();
  await validateButton(steward).click();
  await expect(verdict(steward)).toContainText('1 of 2 rows is invalid');
  await expect(result(steward).getByRole('gridcell', { name: '7 is not a string' })).toBeVisible();

  await steward.getByRole('button', { name: 'Remove the file' }).click();
  await expect(rowsField(steward)).toBeVisible();
  await steward.getByLabel('File of rows').setInputFiles({
    name: 'agents.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(CORRECTED),
  });
  await validateButton(steward).click();
  await expect(verdict(steward)).toContainText('All 3 rows are valid');

  // The dropped file replaces the chosen one.
  await drop(steward, 'large.csv', 'x', 10 * 1024 * 1024 + 1);
  await validateButton(steward).click();
  await expect(steward.getByText('at most 10 MiB can be validated')).toBeVisible();
});

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, element: ReturnType<Page['getByRole']>): Promise<void> {
  await expect(element).toBeVisible();
  for (let presses = 0; presses < 60; presses += 1) {
    if (await element.evaluate((node) => node === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('Pressing Tab 60 times did not focus the element');
}

test('selects a data set, validates rows and lists the problems of one rule by keyboard alone', async ({ openFor }) => {
  const steward = await openFor('steward');
  const { dataSet } = await createAgents(steward);
  await steward.goto('/');
  await expect(steward.getByRole('heading', { level: 1 })).toBeVisible();
  await steward.keyboard.press('Control+k');
  await expect(steward.getByRole('option').first()).toBeVisible();
  await steward.keyboard.type('Validate rows');
  await expect(steward.getByRole('option', { name: 'Validate rows' })).toBeVisible();
  await steward.keyboard.press('Enter');
  await expect(steward.getByRole('heading', { name: 'Validation test' })).toBeVisible();

  await tabTo(steward, steward.getByLabel('Data set *'));
  await steward.keyboard.press('Enter');
  await steward.keyboard.type(dataSet.name);
  await expect(steward.getByRole('option')).toHaveText([new RegExp(`^${dataSet.name}`)]);
  await steward.keyboard.press('Enter');
  await expect(steward).toHaveURL(new RegExp(`dataSet=${dataSet.id}$`));
  await tabTo(steward, rowsField(steward));
  await steward.keyboard.insertText(FAULTY);
  await tabTo(steward, validateButton(steward));
  await steward.keyboard.press('Enter');
  await expect(verdict(steward)).toContainText('4 of 5 rows are invalid');
  await tabTo(steward, rule(steward, 'Missing key'));
  await steward.keyboard.press('Enter');
  await expect(lines(steward)).toHaveText(['3']);
  await steward.keyboard.press('Enter');
  await expect(lines(steward)).toHaveText(['1', '2', '3', '4', '6']);
});

test('redirects a user without the route to the start page', async ({ openFor }) => {
  const viewer = await openFor('viewer');
  await viewer.goto('/validation-test');
  await expect(viewer).toHaveURL(/\/$/);
  await viewer.keyboard.press('Control+k');
  await expect(viewer.getByRole('option').first()).toBeVisible();
  await expect(viewer.getByRole('option', { name: 'Validate rows' })).toHaveCount(0);
});
