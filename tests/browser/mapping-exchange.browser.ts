/** Imports mappings after a preview, and exports them in standard formats. */
import { readFile } from 'node:fs/promises';
import { callApi, expect, test, uniqueName } from './fixtures.ts';

test.use({ reusesPages: true });

test('imports mappings after a preview, undoes an import, and exports mappings in standard formats', async ({
  openFor,
}) => {
  const page = await openFor('steward');
  const { id: typeId } = await callApi(page, 'POST', '/api/reference-types', {
    name: uniqueName('Code'),
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const createDataSet = async (name: string, codes: string[]) => {
    const { id } = await callApi(page, 'POST', '/api/reference-data', { name: uniqueName(name), typeId });
    await callApi(page, 'POST', `/api/reference-data/${id}/instances`, {
      rows: codes.map((code) => ({ data: { code } })),
    });
    return id;
  };
  const name = uniqueName('To long codes');
  const { id } = await callApi(page, 'POST', '/api/crosswalks', {
    name,
    sourceSystemId: await createDataSet('Short', ['de', 'fr', '007']),
    targetSystemId: await createDataSet('Long', ['DEU', 'FRA', '0007']),
    sourceAttribute: 'code',
    targetAttribute: 'code',
  });
  await callApi(page, 'POST', `/api/crosswalks/${id}/mappings`, { sourceValue: 'de', targetValue: 'GER' });

  await page.goto(`/crosswalks/${id}/mappings?tab=draft`);
  await expect(page.getByRole('tab', { name: 'Draft 1' })).toBeVisible();
  const dialog = page.getByRole('dialog', { name: 'Import mappings' });
  const preview = async (lines: string[], submit = false) => {
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await dialog.getByRole('textbox', { name: 'Mappings' }).fill(lines.join('\n'));
    if (submit) await dialog.getByRole('switch', { name: 'Submit the rows for approval immediately' }).click();
    await dialog.getByRole('button', { name: 'Preview' }).click();
  };
  await preview(['sourceValue,targetValue,confidence', 'de,DEU,90', 'fr,FRA,', '007,0007,sure', 'it,ITA,']);
  await expect(dialog.getByRole('status')).toHaveText('Read as CSV: 4 rows, of which 3 can be imported.');
  await expect(dialog.getByRole('row', { name: /confidence/ })).toContainText('not a number from 0 to 100');
  await expect(dialog.getByText(/^No row of Short .* has this code \(row 5\)$/)).toBeVisible();
  await dialog.getByRole('tab', { name: 'Changed 1' }).click();
  await expect(dialog.getByRole('row', { name: /^2 de/ })).toContainText('GERDEU');
  await dialog.getByRole('button', { name: 'Import 3 mappings' }).click();
  await expect(page.getByText('Imported: 3 mappings.')).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Draft 3' })).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  // The undo removes the two added mappings and restores the changed mapping.
  await expect(page.getByRole('tab', { name: 'Draft 1' })).toBeVisible();
  await expect(page.getByRole('row', { name: /de GER/ })).toBeVisible();

  await preview(['[{"sourceValue":"007","targetValue":"0007"}]'], true);
  await expect(dialog.getByRole('status')).toHaveText('Read as JSON: 1 row, of which 1 can be imported.');
  await dialog.getByRole('button', { name: 'Import and submit 1 mapping' }).click();
  await page.getByRole('tab', { name: 'Pending 1' }).click();
  await expect(page.getByRole('row', { name: /007/ })).toBeVisible();

  const save = async (label: string) => {
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    // The first of the two entries exports only the mappings of this tab.
    await page.getByRole('menuitem', { name: label }).first().click();
  };
  const [map] = await Promise.all([page.waitForEvent('download'), save('FHIR ConceptMap')]);
  expect(map.suggestedFilename()).toBe(`${name}.json`);
  expect(JSON.parse(await readFile(await map.path(), 'utf8')).group[0].element).toMatchObject([
    { code: '007', target: [{ code: '0007' }] },
  ]);
  const [set] = await Promise.all([page.waitForEvent('download'), save('SSSOM (TSV)')]);
  expect(set.suggestedFilename()).toBe(`${name}.sssom.tsv`);
  expect(await readFile(await set.path(), 'utf8')).toContain('\nsource:007\t\tskos:exactMatch\ttarget:0007\t');
});
