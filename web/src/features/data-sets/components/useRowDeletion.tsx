/** Deletes the selected rows or all matching rows: checks the references to the rows first, and offers an undo. */

import type { DeletionImpact } from '@rdm/contracts/data-sets/instance-paste';
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { type ReactNode, useState } from 'react';
import type { Selection } from '../../../components/data-grid/index.ts';
import { notify } from '../../../components/toast/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { rowsText } from '../../../lib/number-format.ts';
import { deleteInstances, deleteSelection, deletionImpact } from '../api/instances.ts';
import type { Step } from '../sheet/undo/history.ts';
import { DeleteRowsDialog } from './DeleteRowsDialog.tsx';
import { useRowResults } from './useRowResults.tsx';

interface PendingDeletion {
  selection: Selection<InstanceView>;
  impact: DeletionImpact;
}

export function useRowDeletion(
  dataSetId: number,
  onDeleted: (step: Step) => void,
  /** Called when a job has deleted `count` rows; a job does not return the rows. */
  onManyDeleted: (commandId: string, count: number) => void,
): { confirmDeletion: (selection: Selection<InstanceView>) => Promise<void>; dialogs: ReactNode } {
  const [pending, setPending] = useState<PendingDeletion>();
  const { reportResults, follow, dialogs } = useRowResults(dataSetId);

  /** A single row without references is deleted without confirmation, because it is easily restored. */
  async function confirmDeletion(selection: Selection<InstanceView>): Promise<void> {
    const { rows, selectionId, count } = selection;
    try {
      const impact = await deletionImpact(dataSetId, selectionId === undefined ? { rows } : { selectionId });
      if (count === 1 && impact.referencedCount === 0) await remove(selection);
      else setPending({ selection, impact });
    } catch (error) {
      notify.error(messageOf(error), { title: 'Nothing was deleted' });
    }
  }

  async function remove({ rows, selectionId, clear }: Selection<InstanceView>): Promise<void> {
    const selectedRows = new Map(rows.map((row) => [row.id, row]));
    const keyOf = (id: number) => selectedRows.get(id)?.key ?? `Row ${id}`;
    try {
      const response =
        selectionId === undefined
          ? await deleteInstances(dataSetId, rows)
          : await deleteSelection(dataSetId, selectionId);
      clear();
      if ('jobId' in response) {
        return follow(response, 'Deleting', 'Deleted', ({ counts }) => {
          if (counts.changed > 0) onManyDeleted(response.commandId, counts.changed);
        });
      }
      const deletedRows = await reportResults(response.results, ({ id, key }) => key ?? keyOf(id));
      if (deletedRows.length === 0) return;
      onDeleted({
        text:
          deletedRows.length === 1
            ? `${keyOf(deletedRows[0]?.id ?? 0)} deleted`
            : `${rowsText(deletedRows.length)} deleted`,
        cells: [],
        added: [],
        deleted: deletedRows.map(({ id, revision }) => ({
          id,
          key: keyOf(id),
          revision: revision ?? 1,
          data: selectedRows.get(id)?.data ?? {},
        })),
      });
    } catch (error) {
      notify.error(messageOf(error), { title: 'Nothing was deleted' });
    }
  }

  const allDialogs = (
    <>
      {dialogs}
      {pending !== undefined && (
        <DeleteRowsDialog
          impact={pending.impact}
          onClose={() => setPending(undefined)}
          onDelete={() => {
            setPending(undefined);
            void remove(pending.selection);
          }}
        />
      )}
    </>
  );
  return { confirmDeletion, dialogs: allDialogs };
}
