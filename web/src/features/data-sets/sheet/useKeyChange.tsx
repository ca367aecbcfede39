/**
 * Changes a key: adds a row with the new key and deletes the old row, as one undoable step. A key cannot be changed
 * while mappings or relationship values that the user may read refer to the row.
 */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { type CellValue, displayKey } from '@rdm/contracts/text/rows';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { dataSetKey } from '../api/data-sets.ts';
import { addInstances, currentInstance, deleteInstances, referencesQuery, reloadInstances } from '../api/instances.ts';
import { blanksWarning } from '../components/cells.ts';
import { References } from '../components/References.tsx';
import type { Step, StepRow } from './undo/history.ts';

interface KeyChange {
  id: number;
  key: string;
  /** The edited field of the key. */
  field: string;
  before: string;
  value: CellValue;
}

export interface KeyChangeOptions {
  dataSetId: number;
  fields: readonly { name: string; isPrimaryKey: boolean }[];
  /** Saves pending edits before the change, so that the new row contains these edits. */
  save: () => Promise<void>;
  onChanged: (step: Step) => void;
}

const ERROR_TITLE = 'The key was not changed';

export function useKeyChange({ dataSetId, fields, save, onChanged }: KeyChangeOptions): {
  confirmKeyChange: (change: KeyChange) => void;
  dialog: ReactNode;
} {
  const queries = useQueryClient();
  const [pending, setPending] = useState<KeyChange>();

  async function change({ id, key, field, value }: KeyChange): Promise<void> {
    setPending(undefined);
    try {
      await save();
      const row = await currentInstance(dataSetId, id);
      if (row === undefined) throw new Error('This row was deleted in the meantime');
      const data = { ...row.data, [field]: value };
      const [created] = await addInstances(dataSetId, [{ data }]);
      if (created === undefined) throw new Error('The server did not confirm the change of this row');
      const newKey = displayKey(fields.filter((each) => each.isPrimaryKey).map(({ name }) => data[name] ?? null));
      const added = { id: created.id, key: newKey, revision: created.revision ?? 1, data };
      const deleted = await deleteOldRow(row, added);
      if (deleted !== undefined) {
        onChanged({ text: `Key ${key} changed to ${newKey}`, cells: [], added: [added], deleted: [deleted] });
      }
    } catch (error) {
      notify.error(messageOf(error), { title: ERROR_TITLE });
    }
    await Promise.all([
      reloadInstances(queries, dataSetId),
      queries.invalidateQueries({ queryKey: dataSetKey(dataSetId) }),
    ]);
  }

  /** Deletes the old row. If the server refuses the deletion, deletes the new row instead and returns undefined. */
  async function deleteOldRow(row: InstanceView, added: StepRow): Promise<StepRow | undefined> {
    const { results } = await deleteInstances(dataSetId, [row]);
    const [result] = results;
    if (result?.outcome === 'done') {
      return { id: row.id, key: row.key, revision: result.revision ?? row.revision + 1, data: row.data };
    }
    await deleteInstances(dataSetId, [added]);
    notify.error(result?.message ?? 'The server did not confirm the change of this row', { title: ERROR_TITLE });
    return undefined;
  }

  const dialog = pending !== undefined && (
    <KeyDialog
      dataSetId={dataSetId}
      change={pending}
      onChange={() => void change(pending)}
      onClose={() => setPending(undefined)}
    />
  );
  return { confirmKeyChange: setPending, dialog };
}

interface KeyDialogProps {
  dataSetId: number;
  change: KeyChange;
  onChange: () => void;
  onClose: () => void;
}

function KeyDialog({ dataSetId, change: { id, key, field, before, value }, onChange, onClose }: KeyDialogProps) {
  const references = useQuery(referencesQuery(dataSetId, id));
  const warning = blanksWarning(value);
  const count = references.data && references.data.mappingCount + references.data.valueCount;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Change the key of ${key}?`}
      description={`${field}: ${before} → ${String(value)}`}
      footer={
        <>
          <Button onClick={onClose}>{count === 0 ? 'Cancel' : 'Close'}</Button>
          {count === 0 && (
            <Button variant="primary" onClick={onChange}>
              Change the key
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4 text-sm">
        {warning !== undefined && <Alert tone="warning">{warning}</Alert>}
        {count !== undefined && count > 0 && (
          <Alert tone="warning" title="A referenced key cannot be changed">
            A new key could break the records listed here, because they refer to this row. Change these records first.
          </Alert>
        )}
        {count === 0 && (
          <>
            <p>
              This adds a row with the new key and the same values, and deletes the old row. The history so far stays
              with the old key. You can undo the change as one step.
            </p>
            <p className="text-muted">No mapping and no relationship value that you can read refers to this row.</p>
          </>
        )}
        {count !== 0 && <References dataSetId={dataSetId} rowId={id} />}
      </div>
    </Dialog>
  );
}
