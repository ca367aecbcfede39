/** Validation test: pasted rows with faults, corrected rows, and a data set that the user may not read. */
import { expectAccessibleInBothThemes } from './axe.ts';
import { createCollection, grantTo } from './collections.ts';
import { callApi, expect, test, uniqueName } from './fixtures.ts';
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
} from './validation-page.ts';

test.use({ reusesPages: true });

test('names the rule of each fault in pasted rows, and finds the corrected rows valid', async ({ openFor }) => {
  const steward = await openFor('steward');
  const { dataSet } = await createAgents(steward);
  await steward.goto(`/reference-data/${dataSet.id}`);
  await steward.getByRole('button', { name: 'More actions' }).click();
  await steward.getByRole('menuitem', { name: 'Validate rows' }).click();
  await expect(steward).toHaveURL(new RegExp(`/validation-test\\?dataSet=${dataSet.id}$`));
  await expect(steward.getByRole('button', { name: 'Data set' })).toContainText(dataSet.name);

  await validateButton(steward).click();
  await expect(steward.getByText('Paste rows or choose a file that is not empty')).toBeVisible();
  await rowsField(steward).fill(FAULTY);
  await validateButton(steward).click();
  await expect(verdict(steward)).toContainText('4 of 5 rows are invalid');
  for (const [name, count] of [
    ['Unknown column', '1 column'],
    ['Too many or too few fields', '1 row'],
    ['Missing key', '1 row'],
    ['Duplicate key', '1 row'],
    ['Wrong data type', '1 row'],
  ] as const) {
    await expect(rule(steward, name)).toContainText(count);
  }
  await expectAccessibleInBothThemes(steward, 'the result of a validation test');
  await rule(steward, 'Wrong data type').click();
  await expect(rule(steward, 'Wrong data type')).toHaveAttribute('aria-pressed', 'true');
  await expect(lines(steward)).toHaveText(['2']);
  await expect(result(steward).getByRole('gridcell', { name: '"many" is not a number' })).toBeVisible();

  // The server refuses invalid JSON, and the page keeps the input.
  await rowsField(steward).fill('[{"code": "007"},\n {"code": }]');
  await expect(steward.getByText('This result is for your previous input')).toBeVisible();
  await validateButton(steward).click();
  await expect(steward.getByRole('alert')).toContainText('The file is not valid JSON at line 2, column 11');
  await expect(rowsField(steward)).toHaveValue('[{"code": "007"},\n {"code": }]');

  await rowsField(steward).fill(CORRECTED);
  await validateButton(steward).click();
  await expect(verdict(steward)).toContainText('All 3 rows are valid');
  await expect(result(steward).getByRole('list', { name: 'Broken rules' })).toHaveCount(0);
});

test('refuses a data set that the user may not read', async ({ openFor }) => {
  const [steward, approver] = [await openFor('steward'), await openFor('approver')];
  const { dataSet } = await createAgents(steward);
  const { id: collectionId } = await createCollection(steward, [await grantTo(approver, 'READ')]);
  const readable = uniqueName('Readable agents');
  const { typeId } = await callApi<{ typeId: number }>(steward, 'GET', `/api/reference-data/${dataSet.id}`);
  await callApi(steward, 'POST', '/api/reference-data', { name: readable, typeId, collectionId });

  await approver.goto('/validation-test');
  await approver.getByLabel('Data set *').click();
  await approver.keyboard.type(readable);
  await expect(approver.getByRole('option')).toHaveText([new RegExp(`^${readable}`)]);
  await approver.getByRole('combobox', { name: 'Data sets' }).fill(dataSet.name);
  await expect(approver.getByText('No matching data sets.')).toBeVisible();

  await approver.goto(`/validation-test?dataSet=${dataSet.id}`);
  await rowsField(approver).fill(CORRECTED);
  await validateButton(approver).click();
  await expect(approver.getByRole('alert')).toContainText('This data set does not exist');
  await expect(rowsField(approver)).toHaveValue(CORRECTED);
});
