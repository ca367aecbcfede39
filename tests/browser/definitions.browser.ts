/** What was changed about an approved crosswalk is discarded and brought back, and its history says who decided what, and why. */
import { aCollection, grantTo } from './collections.ts';
import { asked, expect, own, test } from './people.ts';

test('a changed crosswalk is discarded, brought back, and its life told to who reads it', async ({ openFor }) => {
  const [steward, approver] = [await openFor('steward'), await openFor('approver')];
  const { id: collectionId } = await aCollection(steward, [await grantTo(approver, 'APPROVER')]);
  const { id: typeId } = await asked(steward, 'POST', '/api/reference-types', {
    name: own('Defined'),
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const dataSet = async (name: string): Promise<number> =>
    (await asked(steward, 'POST', '/api/reference-data', { name: own(name), typeId, collectionId })).id;
  const [sourceSystemId, targetSystemId] = [await dataSet('Local'), await dataSet('National')];
  const name = own('Local to national');
  const ends = { sourceSystemId, targetSystemId, sourceAttribute: 'code', targetAttribute: 'code' };
  const { id } = await asked(steward, 'POST', '/api/crosswalks', { name, ...ends });
  const path = `/api/crosswalks/${id}`;
  await asked(steward, 'POST', `${path}/submit`, { comment: 'Please look' });
  await asked(approver, 'POST', `${path}/approve`, { comment: 'As agreed' });
  await asked(steward, 'PATCH', path, { unmapped: { yields: 'FIXED', value: 'ZZ' } });

  const menu = steward.getByRole('button', { name: 'More actions of the crosswalk' });
  await steward.goto(`/crosswalks/${id}/mappings`);
  await test.step('discarded, it stands as approved; undone, it is the draft that it was', async () => {
    await menu.click();
    await steward.getByRole('menuitem', { name: 'Discard draft' }).click();
    const asking = steward.getByRole('dialog', { name: 'Discard the draft of the crosswalk?' });
    await asking.getByRole('textbox').fill('Not needed');
    await asking.getByRole('button', { name: 'Discard draft' }).click();
    const heading = steward.getByRole('heading', { level: 1 });
    await expect(heading).toContainText('Approved');
    await steward.getByRole('button', { name: 'Undo' }).click();
    await expect(heading).toContainText('Draft');
  });

  await test.step('the header’s menu tells its history', async () => {
    await menu.click();
    await steward.getByRole('menuitem', { name: 'History' }).click();
    const entries = steward.getByRole('dialog', { name }).getByRole('list', { name: 'History' }).getByRole('listitem');
    await expect(entries).toHaveCount(6);
    for (const [index, text] of ['Undone', 'Not needed', 'A fixed value: ZZ', 'As agreed', 'Please look'].entries()) {
      await expect(entries.nth(index)).toContainText(text);
    }
    await steward.keyboard.press('Escape');
  });

  await test.step('and so does the record of its deletion', async () => {
    await asked(steward, 'POST', `${path}/discard`, {});
    await asked(steward, 'DELETE', path, { comment: 'Unused' });
    await asked(approver, 'POST', `${path}/approve`, { comment: 'Agreed, unused' });
    await approver.goto('/approvals?tab=decided');
    await approver
      .getByRole('row', { name: new RegExp(name) })
      .first()
      .click();
    const record = approver.getByRole('region', { name: 'History' });
    await expect(record.getByRole('listitem').first()).toContainText('Deletion approved');
    await expect(record.getByRole('listitem').first()).toContainText('Agreed, unused');
  });
});
