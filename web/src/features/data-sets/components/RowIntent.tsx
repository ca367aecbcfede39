/** The actions on the rows of a data set, and the dialogs and drawers that the actions open. */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import type { SchemaFieldView } from '@rdm/contracts/reference-types/reference-types';
import { History, Pencil, Trash2 } from 'lucide-react';
import type { BulkAction, RowAction, Selection } from '../../../components/data-grid/index.ts';
import { RowDialog } from './RowDialog.tsx';
import { RowDrawer } from './RowDrawer.tsx';

/** The dialog or drawer that the user has opened: a new row, an edited row, or the history of a row. */
export type Intent = { what: 'add' } | { what: 'edit' | 'history'; row: InstanceView };

/** Renders the dialog or drawer of an intent. */
export function RowIntent({
  intent,
  onIntent,
  dataSetId,
  fields,
  readOnlyReason,
}: {
  intent: Intent | undefined;
  onIntent: (intent: Intent | undefined) => void;
  dataSetId: number;
  fields: readonly SchemaFieldView[];
  readOnlyReason: string | undefined;
}) {
  const close = () => onIntent(undefined);
  if (intent === undefined) return null;
  if (intent.what === 'add') return <RowDialog dataSetId={dataSetId} fields={fields} onClose={close} />;
  const { what, row } = intent;
  if (what === 'edit') return <RowDialog dataSetId={dataSetId} fields={fields} row={row} onClose={close} />;
  return (
    <RowDrawer
      dataSetId={dataSetId}
      row={row}
      fields={fields.map(({ name }) => name)}
      onEdit={readOnlyReason === undefined ? () => onIntent({ what: 'edit', row }) : undefined}
      onClose={close}
    />
  );
}

type DeleteSelection = (selection: Selection<InstanceView>) => unknown;

export function rowActions(
  row: InstanceView,
  {
    readOnlyReason,
    onIntent,
    onDelete,
  }: { readOnlyReason: string | undefined; onIntent: (intent: Intent) => void; onDelete: DeleteSelection },
): readonly RowAction<InstanceView>[] {
  return [
    { label: 'Edit', icon: Pencil, onSelect: () => onIntent({ what: 'edit', row }), unavailable: readOnlyReason },
    { label: 'History', icon: History, onSelect: () => onIntent({ what: 'history', row }) },
    {
      label: 'Delete',
      icon: Trash2,
      onSelect: () => onDelete({ rows: [row], selectionId: undefined, count: 1, clear: () => undefined }),
      unavailable: readOnlyReason,
      destructive: true,
    },
  ];
}

export const bulkActions = (
  readOnlyReason: string | undefined,
  onDelete: DeleteSelection,
): readonly BulkAction<InstanceView>[] => [
  {
    label: 'Delete',
    icon: Trash2,
    destructive: true,
    onSelect: (selection) => void onDelete(selection),
    unavailable: () => readOnlyReason,
  },
];
