/** Tests saved filters, which one user shares and another user opens, and a filter on a removed field. */
import type { Page } from '@playwright/test';
import { expectAccessibleInBothThemes } from './axe.ts';
import { CODES, createCodes } from './filtered-codes.ts';
import { expect, test, uniqueName } from './fixtures.ts';

test.use({ reusesPages: true });

const savedMenu = (page: Page) => page.getByRole('button', { name: /^Saved filters/ });
const shownCodes = (page: Page) => page.getByRole('gridcell', { name: /^\d{3}$/ });

test('saves and shares a filter that another user opens', async ({ openFor }) => {
  const [steward, viewer] = await Promise.all([openFor('steward'), openFor('viewer')]);
  const { dataSetId } = await createCodes(steward, viewer);
  const name = uniqueName('Double zeros');
  await steward.goto(`/reference-data/${dataSetId}`);
  await expect(shownCodes(steward)).toHaveText(CODES);

  await steward.getByRole('button', { name: 'Filter', exact: true }).click();
  const builder = steward.getByRole('dialog', { name: 'Filter' });
  await builder.getByRole('combobox', { name: 'Operator' }).click();
  await steward.getByRole('option', { name: 'starts with', exact: true }).click();
  await builder.getByRole('textbox', { name: 'Value' }).fill('00');
  await builder.getByRole('button', { name: 'Apply' }).click();
  await expect(shownCodes(steward)).toHaveText(['007', '008']);

  await savedMenu(steward).click();
  await expect(steward.getByText('No saved filters yet')).toBeVisible();
  await steward.getByRole('menuitem', { name: 'Save this view…' }).click();
  const form = steward.getByRole('dialog', { name: 'Save this view' });
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByText('Name is required')).toBeVisible();
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form).toBeHidden();
  await expect(savedMenu(steward)).toHaveText(name);

  // Other users do not see a private filter.
  await viewer.goto(`/reference-data/${dataSetId}`);
  await savedMenu(viewer).click();
  await expect(viewer.getByText('No saved filters yet')).toBeVisible();
  await viewer.keyboard.press('Escape');

  await savedMenu(steward).click();
  await steward.getByRole('menuitem', { name: 'Manage saved filters…' }).click();
  const manage = steward.getByRole('dialog', { name: 'Saved filters' });
  await manage.getByRole('switch', { name: `Shared: ${name}` }).click();
  await expect(manage.getByRole('switch', { name: `Shared: ${name}` })).toBeChecked();
  const renamed = uniqueName('Agents with a licence');
  await manage.getByLabel(`Name of ${name}`).fill(renamed);
  await manage.getByRole('button', { name: 'Rename' }).click();
  await expect(manage.getByLabel(`Name of ${renamed}`)).toBeVisible();
  await manage.getByRole('button', { name: 'Close' }).last().click();

  await viewer.reload();
  await savedMenu(viewer).click();
  await expect(viewer.getByText('Shared with me')).toBeVisible();
  await viewer.getByRole('menuitem', { name: new RegExp(`^${renamed}`) }).click();
  await expect(shownCodes(viewer)).toHaveText(['007', '008']);

  // The address of the page contains the filter, so the link works without the saved filter.
  await viewer.goto('/');
  await viewer.goto(new URL(steward.url()).pathname + new URL(steward.url()).search);
  await expect(shownCodes(viewer)).toHaveText(['007', '008']);
  await expect(viewer.getByRole('button', { name: 'Filter, 1 condition active' })).toBeVisible();
});

test('pastes a column of codes as values of a filter, and clears a filter on a removed field', async ({ openFor }) => {
  const [steward, viewer] = await Promise.all([openFor('steward'), openFor('viewer')]);
  const { dataSetId } = await createCodes(steward, viewer);
  await steward.goto(`/reference-data/${dataSetId}`);
  await expect(shownCodes(steward)).toHaveText(CODES);
  await steward.getByRole('button', { name: 'Filter', exact: true }).click();
  const builder = steward.getByRole('dialog', { name: 'Filter' });
  await builder.getByRole('combobox', { name: 'Operator' }).click();
  await steward.getByRole('option', { name: 'is one of', exact: true }).click();
  await builder.getByRole('button', { name: 'Apply' }).click();
  await expect(builder.getByText('Enter at least one value')).toBeVisible();
  const value = builder.getByRole('textbox', { name: 'Add a value' });
  await expect(value).toBeFocused();
  await value.evaluate((input) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', '007\r\n100\r\n1, 2\r\n');
    input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  await expect(builder.getByRole('button', { name: 'Remove value 1, 2' })).toBeVisible();
  // Text that was typed but not confirmed with Enter counts as a value too.
  await value.fill('200');
  await expectAccessibleInBothThemes(steward, 'the filter builder');
  await builder.getByRole('button', { name: 'Apply' }).click();
  await expect(shownCodes(steward)).toHaveText(['007', '100', '200']);

  // The link filters by a field that the type does not have, as after the removal of a field.
  const removedFieldFilter = { logic: 'AND', conditions: [{ field: 'old', operator: 'is_null' }] };
  await steward.goto(`/reference-data/${dataSetId}?filter=${encodeURIComponent(JSON.stringify(removedFieldFilter))}`);
  await expect(steward.getByRole('alert').getByText('There is no field “old” to filter by')).toBeVisible();
  await steward.getByRole('button', { name: 'Filter, 1 condition active' }).click();
  await expect(builder.getByText('“old” is not a filter field of this list: remove this condition')).toBeVisible();
  await steward.keyboard.press('Escape');
  await steward.getByRole('button', { name: 'Clear the filter' }).click();
  await expect(shownCodes(steward)).toHaveText(CODES);
});
