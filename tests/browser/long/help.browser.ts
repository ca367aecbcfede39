/** Special cases of the help: unsaved input, no results, and a missing page or picture. */
import { expect, test } from '../fixtures.ts';

test('opens the help in a new tab while the page has unsaved input', async ({ openFor }) => {
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

test('shows messages for a search without results and for a missing page', async ({ openFor }) => {
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
