/** Drafts of an approved crosswalk: discarding and restoring them; and its history, with decisions, users and reasons. */
import { createCollection, grantTo } from './collections.ts';
import { callApi, expect, test, uniqueName } from './fixtures.ts';

test.use({ reusesPages: true });

test('discards and restores a changed crosswalk, and shows its history to its readers', async ({ openFor }) => {
  const [steward, approver] = [await openFor('steward'), await openFor('approver')];
  const { id: collectionId } = await createCollection(steward, [await grantTo(approver, 'APPROVER')]);
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', {
    name: uniqueName('Defined'),
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const createDataSet = async (name: string): Promise<number> =>
    (await callApi(steward, 'POST', '/api/reference-data', { name: uniqueName(name), typeId, collectionId })).id;
  const [sourceSystemId, targetSystemId] = [await createDataSet('Local'), await createDataSet('National')];
  const name = uniqueName('Local to national');
  const ends = { sourceSystemId, targetSystemId, sourceAttribute: 'code', targetAttribute: 'code' };
  const { id } = await callApi(steward, 'POST', '/api/crosswalks', { name, ...ends });
  const path = `/api/crosswalks/${id}`;
  await callApi(steward, 'POST', `${path}/submit`, { comment: 'Please look' });
  await callApi(approver, 'POST', `${path}/approve`, { comment: 'As agreed' });
  await callApi(steward, 'PATCH', path, { unmapped: { yields: 'FIXED', value: 'ZZ' } });

  const menu = steward.getByRole('button', { name: 'More actions of the crosswalk' });
  await steward.goto(`/crosswalks/${id}/mappings`);
  await test.step('shows the approved crosswalk after a discard, and the draft again after an undo', async () => {
    await menu.click();
    await steward.getByRole('menuitem', { name: 'Discard draft' }).click();
    const dialog = steward.getByRole('dialog', { name: 'Discard the draft of the crosswalk?' });
    await dialog.getByRole('textbox').fill('Not needed');
    await dialog.getByRole('button', { name: 'Discard draft' }).click();
    const heading = steward.getByRole('heading', { level: 1 });
    await expect(heading).toContainText('Approved');
    await steward.getByRole('button', { name: 'Undo' }).click();
    await expect(heading).toContainText('Draft');
  });

  await test.step('shows its history from the menu of the header', async () => {
    await menu.click();
    await steward.getByRole('menuitem', { name: 'History' }).click();
    const entries = steward.getByRole('dialog', { name }).getByRole('list', { name: 'History' }).getByRole('listitem');
    await expect(entries).toHaveCount(6);
    for (const [index, text] of ['Undone', 'Not needed', 'A fixed value: ZZ', 'As agreed', 'Please look'].entries()) {
      await expect(entries.nth(index)).toContainText(text);
    }
    await steward.keyboard.press('Escape');
  });

  await test.step('shows its history from the record of its deletion', async () => {
    await callApi(steward, 'POST', `${path}/discard`, {});
    await callApi(steward, 'DELETE', path, { comment: 'Unused' });
    await callApi(approver, 'POST', `${path}/approve`, { comment: 'Agreed, unused' });
    await approver.goto(`/approvals?tab=decided&q=${encodeURIComponent(name)}`);
    await approver
      .getByRole('row', { name: new RegExp(name) })
      .first()
      .click();
    const record = approver.getByRole('region', { name: 'History' });
    await expect(record.getByRole('listitem').first()).toContainText('Deletion approved');
    await expect(record.getByRole('listitem').first()).toContainText('Agreed, unused');
  });
});
