/** Tests discarded drafts and the history of a crosswalk, and actions on many crosswalks or relationships. */
import { createCollection, grantTo } from '../collections.ts';
import { callApi, expect, lastAction, test, uniqueName, visit } from '../fixtures.ts';

test.use({ reusesPages: true });

test('discards and restores the draft of a crosswalk, and shows its history', async ({ openFor }) => {
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

  await test.step('shows the history of the crosswalk from the menu in the header', async () => {
    await menu.click();
    await steward.getByRole('menuitem', { name: 'History' }).click();
    const entries = steward.getByRole('dialog', { name }).getByRole('list', { name: 'History' }).getByRole('listitem');
    await expect(entries).toHaveCount(6);
    for (const [index, text] of ['Undone', 'Not needed', 'A fixed value: ZZ', 'As agreed', 'Please look'].entries()) {
      await expect(entries.nth(index)).toContainText(text);
    }
    await steward.keyboard.press('Escape');
  });

  await test.step('shows the history of a deleted crosswalk on the approvals dashboard', async () => {
    await callApi(steward, 'POST', `${path}/discard`, {});
    await callApi(steward, 'DELETE', path, { comment: 'Unused' });
    await callApi(approver, 'POST', `${path}/approve`, { comment: 'Agreed, unused' });
    await approver.goto(`/approvals?tab=decided&q=${encodeURIComponent(name)}`);
    await approver
      .getByRole('row', { name: new RegExp(name) })
      .first()
      .click();
    const history = approver.getByRole('region', { name: 'History' });
    await expect(history.getByRole('listitem').first()).toContainText('Deletion approved');
    await expect(history.getByRole('listitem').first()).toContainText('Agreed, unused');
  });
});

test('applies actions to many crosswalks or relationships at once', async ({ openFor }) => {
  const [steward, approver] = [await openFor('steward'), await openFor('approver')];
  const { id: collectionId } = await createCollection(steward, [await grantTo(approver, 'APPROVER')]);
  const { id: typeId } = await callApi(steward, 'POST', '/api/reference-types', {
    name: uniqueName('Many'),
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });
  const createDataSet = async (name: string): Promise<number> =>
    (await callApi(steward, 'POST', '/api/reference-data', { name: uniqueName(name), typeId, collectionId })).id;
  const [sourceSystemId, targetSystemId] = [await createDataSet('From'), await createDataSet('To')];
  const name = uniqueName('Several');
  const ends = { sourceSystemId, targetSystemId, sourceAttribute: 'code', targetAttribute: 'code' };
  const ids: number[] = [];
  for (const place of ['first', 'second', 'third']) {
    ids.push((await callApi(steward, 'POST', '/api/crosswalks', { name: `${name} ${place}`, ...ends })).id);
  }
  await callApi(steward, 'POST', `/api/crosswalks/${ids[0]}/mappings`, {
    rows: [{ sourceValue: 'a', targetValue: 'b' }],
  });
  const list = `/crosswalks?q=${encodeURIComponent(name)}&sort=name`;
  const rowOf = (page: typeof steward, place: string) =>
    page.getByRole('row', { name: new RegExp(`${name} ${place}\\b`) });
  const selected = (page: typeof steward) => page.getByRole('region', { name: 'Selected rows' });

  await test.step('submits two crosswalks that are selected by keyboard', async () => {
    await steward.goto(list);
    await expect(rowOf(steward, 'first')).toBeVisible();
    await steward.keyboard.press('j');
    await expect(rowOf(steward, 'first')).toBeFocused();
    await steward.keyboard.press('x');
    await expect(selected(steward)).toContainText('1 selected');
    await steward.keyboard.press('j');
    await expect(rowOf(steward, 'second')).toBeFocused();
    await steward.keyboard.press(' ');
    await expect(selected(steward)).toContainText('2 selected');
    await selected(steward).getByRole('button', { name: 'Submit' }).click();
    await steward.getByRole('dialog', { name: 'Submit 2 crosswalks?' }).getByRole('button', { name: 'Submit' }).click();
    await expect(lastAction(steward)).toContainText('Submitted: 2 crosswalks.');
    await expect(rowOf(steward, 'first')).toContainText('Pending');
  });

  await test.step('approves two of three selected crosswalks, and shows why the third was refused', async () => {
    await approver.goto(list);
    await approver.getByRole('checkbox', { name: 'Select all rows on this page' }).click();
    await selected(approver).getByRole('button', { name: 'Approve' }).click();
    await approver
      .getByRole('dialog', { name: 'Approve 3 crosswalks?' })
      .getByRole('button', { name: 'Approve' })
      .click();
    const resultDialog = approver.getByRole('dialog', { name: 'Approved' });
    await expect(resultDialog).toContainText(`${name} third`);
    await expect(resultDialog).toContainText('This row is not under review');
    await resultDialog.getByRole('button', { name: 'Close' }).first().click();
    await expect(lastAction(approver)).toContainText('Approved: 2 crosswalks.');
    await expect(rowOf(steward, 'first')).toContainText('Approved');
    await lastAction(approver).getByRole('button', { name: 'Undo' }).click();
    await expect(rowOf(approver, 'first')).toContainText('Pending');
  });

  await test.step('lists deleted drafts, and restores drafts with their mappings', async () => {
    await callApi(steward, 'POST', `/api/crosswalks/${ids[0]}/recall`, {});
    await visit(steward, `/crosswalks/${ids[0]}/mappings`);
    await steward.getByRole('button', { name: 'More actions of the crosswalk' }).click();
    await steward.getByRole('menuitem', { name: 'Delete crosswalk' }).click();
    await steward
      .getByRole('dialog', { name: 'Delete the crosswalk?' })
      .getByRole('button', { name: 'Delete crosswalk' })
      .click();
    await expect(steward).toHaveURL(/\/crosswalks$/);
    await expect(lastAction(steward)).toContainText(`Crosswalk deleted: ${name} first.`);
    await lastAction(steward).getByRole('button', { name: 'Undo' }).click();
    await expect(lastAction(steward)).toHaveCount(0);
    await steward.goto(list);
    await expect(rowOf(steward, 'first')).toContainText('Draft');

    await rowOf(steward, 'first').getByRole('checkbox').click();
    await rowOf(steward, 'third').getByRole('checkbox').click();
    await selected(steward).getByRole('button', { name: 'Delete' }).click();
    await steward.getByRole('dialog', { name: 'Delete 2 crosswalks?' }).getByRole('button', { name: 'Delete' }).click();
    await expect(rowOf(steward, 'third')).toHaveCount(0);
    await steward.getByRole('switch', { name: 'Deleted' }).click();
    await expect(rowOf(steward, 'third')).toContainText('Sam Steward');
    // Deleting and restoring require ADMIN on the source.
    await visit(approver, `${list}&deleted=true`);
    await rowOf(approver, 'third').getByRole('checkbox').click();
    await expect(selected(approver).getByRole('button', { name: 'Restore' })).toBeDisabled();

    await steward.getByRole('checkbox', { name: 'Select all rows on this page' }).click();
    await selected(steward).getByRole('button', { name: 'Restore' }).click();
    const confirmation = steward.getByRole('dialog', { name: 'Restore 2 crosswalks?' });
    await confirmation.getByRole('button', { name: 'Restore' }).click();
    // The dialog covers the rows until the server has answered.
    await expect(confirmation).toHaveCount(0);
    await expect(rowOf(steward, 'third')).toHaveCount(0);
    await steward.goto(`/crosswalks/${ids[0]}/mappings?tab=draft`);
    await expect(steward.getByRole('row', { name: /a.*b/ }).first()).toBeVisible();
  });

  await test.step('deletes two relationships at once, and undoes the deletion', async () => {
    const related = uniqueName('Related');
    const body = { sourceDataSetId: sourceSystemId, targetDataSetId: targetSystemId, sourceField: 'code' };
    for (const place of ['one', 'two']) {
      const relationship = { name: `${related} ${place}`, targetField: 'code', ...body };
      await callApi(steward, 'POST', '/api/relationships', relationship);
    }
    const rows = steward.getByRole('row', { name: new RegExp(related) });
    await visit(steward, `/relationships?q=${encodeURIComponent(related)}`);
    await expect(rows).toHaveCount(2);
    await steward.getByRole('checkbox', { name: 'Select all rows on this page' }).click();
    await selected(steward).getByRole('button', { name: 'Delete' }).click();
    await steward
      .getByRole('dialog', { name: 'Delete 2 relationships?' })
      .getByRole('button', { name: 'Delete' })
      .click();
    await expect(rows).toHaveCount(0);
    await lastAction(steward).getByRole('button', { name: 'Undo' }).click();
    await expect(rows).toHaveCount(2);
  });
});
