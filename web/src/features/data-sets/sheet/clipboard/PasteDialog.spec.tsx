/** Tests which columns the preview of a paste shows. */
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeServer, showPage } from '../../../../testing/page.tsx';
import type { CellField } from '../../components/cells.ts';
import { PasteDialog } from './PasteDialog.tsx';

const FIELDS: CellField[] = [
  { name: 'code', dataType: 'string', isPrimaryKey: true },
  { name: 'name', dataType: 'string', isPrimaryKey: false },
];

async function showPreview(fields: string[], cells: string[]) {
  const changed = { outcome: 'changed', id: 64, revision: 1, key: '007', data: { name: 'b' }, before: { name: 'a' } };
  const preview = {
    results: [{ index: 0, ...changed, problems: {} }],
    counts: { new: 0, changed: 1, unchanged: 0, invalid: 0 },
  };
  fakeServer({ 'POST /api/reference-data/1/instances/paste-preview': { body: preview } });
  const plan = { request: { fields, rows: [{ id: 64, cells }] }, lines: [1], omissions: [] };
  showPage(
    <PasteDialog dataSetId={1} plan={plan} fields={FIELDS} onDone={() => undefined} onClose={() => undefined} />,
  );
  const columns = (await screen.findAllByRole('columnheader')).map(({ textContent }) => textContent);
  return { columns, key: screen.queryByRole('cell', { name: '007' })?.textContent };
}

it('the preview shows the key of a changed row if the paste has no key', async () => {
  expect(await showPreview(['name'], ['b'])).toEqual({ columns: ['Line', 'Row', 'name'], key: '007' });
});

it('the preview shows a pasted key once', async () => {
  const { columns } = await showPreview(['code', 'name'], ['007', 'b']);
  expect(columns).toEqual(['Line', 'code', 'name']);
});
