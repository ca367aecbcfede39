/** Users find help from the page that they see, from the palette, and by a question. */
import { expect, test } from './fixtures.ts';

test('opens the help for the page that is shown, and answers a question', async ({ openFor }) => {
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

test('opens the help for a page with unsaved input in a new tab', async ({ openFor }) => {
  const steward = await openFor('steward');
  await steward.goto('/crosswalks/create');
  const name = steward.getByRole('textbox', { name: 'Name' });
  await name.fill('Half a crosswalk');
  await steward.getByRole('button', { name: 'Help', exact: true }).click();
  const opening = steward.context().waitForEvent('page');
  await steward.getByRole('menuitem', { name: 'Help for this page' }).click();
  const help = await opening;
  await expect(help.getByRole('heading', { level: 2, name: 'Crosswalks and mappings' })).toBeVisible();
  await expect(name).toHaveValue('Half a crosswalk');
});

test('finds help in the palette by words that the page does not use', async ({ openFor }) => {
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

test('shows that nothing matches, and that a page does not exist', async ({ openFor }) => {
  const steward = await openFor('steward');
  await steward.goto('/help?q=xylophone');
  await expect(steward.getByRole('status').filter({ hasText: 'Nothing matches.' })).toBeVisible();
  await steward.goto('/help/no-such-page');
  await expect(steward.getByText('There is no such help page')).toBeVisible();
});

test('shows a message in place of a picture that cannot be loaded', async ({ openFor }) => {
  // The browser cache of a reused page could contain the picture.
  const steward = await openFor('steward', { unshared: true });
  await steward.route('**/help-pictures/**', (route) => route.abort());
  await steward.goto('/help/monitor');
  await expect(steward.getByText('Failed to load image: The monitor with its jobs')).toBeVisible();
});
