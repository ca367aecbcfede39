/** The palette finds data sets, definitions and codes. */
import { createCitiesAndCountries, createCityRelationship } from './cities-and-countries.ts';
import { callApi, expect, test, uniqueName } from './fixtures.ts';
import { openPalette, selectedOption } from './palette.ts';

test('opens the row of a code, the data sets of a shared code, and a relationship', async ({ openFor }) => {
  const steward = await openFor('steward');
  const approver = await openFor('approver');
  const relationship = uniqueName('Palette relationship');
  await createCityRelationship(steward, approver, relationship);
  const { cities, countries } = await createCitiesAndCountries(steward, approver);
  const code = uniqueName('Q').replaceAll(' ', '-');
  for (const { id } of [cities, countries]) {
    await callApi(steward, 'POST', `/api/reference-data/${id}/instances`, { data: { code, name: 'Shared town' } });
  }
  await callApi(steward, 'POST', `/api/reference-data/${cities.id}/instances`, {
    data: { code: `${code}-1`, name: 'Lonely town' },
  });
  await steward.goto('/');
  await expect(steward.getByRole('main')).toContainText('Welcome');

  await test.step('opens the row of a code that one data set has', async () => {
    // The search finds rows about a second after they were written. The page caches an answer for five seconds.
    await openPalette(steward);
    await expect(async () => {
      await steward.keyboard.press('Control+a');
      await steward.keyboard.press('Delete');
      await steward.keyboard.type(`${code}-1`.toLowerCase());
      // Late results do not move the selection. At the next attempt, the page has these results in its cache.
      await expect(selectedOption(steward)).toContainText(cities.name, { timeout: 2_000 });
    }).toPass();
    await steward.keyboard.press('Enter');
    await expect(steward.getByRole('dialog', { name: `${code}-1` })).toContainText('Lonely town');
    await steward.keyboard.press('Escape');
    const list = steward.getByRole('grid', { name: cities.name });
    await expect(list.getByRole('row').filter({ hasText: 'Lonely town' })).toBeVisible();
    await expect(list).toHaveAttribute('aria-rowcount', '2');
  });

  await test.step('offers the data sets that share a code', async () => {
    await openPalette(steward);
    await steward.keyboard.type(code);
    const shared = steward.getByRole('option', { name: `${code} Shared town` });
    await expect(shared).toContainText('in 2 data sets');
    await shared.click();
    await expect(steward.getByRole('group', { name: `Data sets with ${code} Shared town` })).toBeVisible();
    // The data set that was opened just now comes first.
    await expect(selectedOption(steward)).toHaveText(cities.name);
    await steward.keyboard.press('ArrowDown');
    await expect(selectedOption(steward)).toHaveText(countries.name);
    await steward.keyboard.press('Enter');
    await expect(steward).toHaveURL(new RegExp(`/reference-data/${countries.id}/instances\\?row=\\d+`));
    await expect(steward.getByRole('dialog', { name: code })).toBeVisible();
    await steward.keyboard.press('Escape');
  });

  await test.step('lists recently opened data sets before anything is typed', async () => {
    await openPalette(steward);
    const recent = steward.getByRole('group', { name: 'Recently opened' }).getByRole('option');
    await expect(recent.first()).toHaveText(countries.name);
    await expect(recent.nth(1)).toHaveText(cities.name);
  });

  await test.step('opens a relationship by the words of its name', async () => {
    await steward.keyboard.type(relationship);
    await steward.getByRole('option', { name: relationship }).click();
    await expect(steward).toHaveURL(/\/relationships\/\d+\/values$/);
  });

  await test.step('finds nothing in data sets that the user may not read', async () => {
    const viewer = await openFor('viewer');
    await viewer.goto('/');
    await expect(viewer.getByRole('main')).toContainText('Welcome');
    await openPalette(viewer);
    await viewer.keyboard.type(code);
    await expect(viewer.getByText('Nothing found.')).toBeVisible();
  });
});
