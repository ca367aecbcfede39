/** Users find help from the current page, in the palette, and by a search with a question. */
import { expect, test } from './fixtures.ts';

test('opens the help for the current page, and finds the section that answers a question', async ({ openFor }) => {
  const steward = await openFor('steward');
  await steward.goto('/missing-mappings');
  await expect(steward.getByRole('heading', { level: 1 })).toBeVisible();
  await steward.getByRole('button', { name: 'Help', exact: true }).click();
  await steward.getByRole('menuitem', { name: 'Help for this page' }).click();
  await expect(steward).toHaveURL(/\/help\/missing-mappings$/);
  await expect(steward.getByRole('heading', { level: 2, name: 'Missing mappings' })).toBeVisible();

  await steward.goto('/collections');
  await expect(steward.getByRole('heading', { level: 1 })).toBeVisible();
  await steward.keyboard.press('?');
  await steward.getByRole('dialog').getByRole('button', { name: 'Help for this page' }).click();
  await expect(steward).toHaveURL(/\/help\/collections$/);

  await steward.getByRole('searchbox', { name: 'Search the documentation' }).fill('who edited this value');
  await steward.getByRole('link', { name: 'Find who changed a value › The history of a row' }).click();
  await expect(steward).toHaveURL(/\/help\/who-changed#the-history-of-a-row$/);
  await expect(steward.getByRole('heading', { level: 3, name: 'The history of a row' })).toBeInViewport();
});

test('finds help in the palette by words that the help page does not use', async ({ openFor }) => {
  const steward = await openFor('steward');
  await steward.goto('/');
  await steward.getByRole('button', { name: 'Search and commands' }).click();
  await steward.getByPlaceholder('Go to…').fill('share with a teammate');
  await steward
    .getByRole('option', { name: /^Give a colleague access/ })
    .first()
    .click();
  await expect(steward).toHaveURL(/\/help\/give-access/);
});
