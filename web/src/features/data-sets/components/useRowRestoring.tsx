/** Restores deleted rows, lists the refused rows, and offers an undo. */

import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import type { ReactNode } from 'react';
import type { Selection } from '../../../components/data-grid/index.ts';
import { notify } from '../../../components/toast/index.ts';
import type { Undoable } from '../../../components/undo-bar/index.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { formatNumber, rowsText } from '../../../lib/number-format.ts';
import {
  deleteInstances,
  deleteSelection,
  freezeRowsOfCommand,
  restoreInstances,
  restoreSelection,
} from '../api/instances.ts';
import { useRowResults } from './useRowResults.tsx';

const ALL_CHANGED_TEXT = 'All of these rows were changed since: nothing is left to undo.';

export function useRowRestoring(
  dataSetId: number,
  onRestored: (action: Undoable) => void,
): {
  restore: (selection: Selection<InstanceView>) => Promise<void>;
  /** Restores the rows that a command deleted, except rows that were changed later. */
  restoreDeletedBy: (commandId: string) => Promise<void>;
  dialogs: ReactNode;
} {
  const { reportResults, follow, dialogs } = useRowResults(dataSetId);

  async function restore({ rows, selectionId, clear }: Selection<InstanceView>): Promise<void> {
    const keys = new Map(rows.map((row) => [row.id, row.key]));
    const keyOf = (id: number) => keys.get(id) ?? `Row ${id}`;
    try {
      const response =
        selectionId === undefined
          ? await restoreInstances(dataSetId, rows)
          : await restoreSelection(dataSetId, selectionId);
      clear();
      if ('jobId' in response) return followRestoring(response);
      const restoredRows = await reportResults(response.results, ({ id, key }) => key ?? keyOf(id));
      if (restoredRows.length === 0) return;
      onRestored({
        text: `${restoredRows.length === 1 ? keyOf(restoredRows[0]?.id ?? 0) : `${formatNumber(restoredRows.length)} rows`} restored`,
        undo: async () => {
          const { results: deleted } = await deleteInstances(
            dataSetId,
            restoredRows.map(({ id, revision = 1 }) => ({ id, revision })),
          );
          await reportResults(deleted, ({ id }) => keyOf(id));
        },
      });
    } catch (error) {
      notify.error(messageOf(error), { title: 'Nothing was restored' });
    }
  }

  function followRestoring(job: DecidedAsJob): void {
    follow(job, 'Restoring', 'Restored', ({ counts: { changed } }) => {
      if (changed > 0) {
        onRestored({ text: `${rowsText(changed)} restored`, undo: () => deleteRestoredBy(job.commandId) });
      }
    });
  }

  async function deleteRestoredBy(commandId: string): Promise<void> {
    const { selectionId, count } = await freezeRowsOfCommand(dataSetId, commandId, 'restored');
    if (count === 0) throw new Error(ALL_CHANGED_TEXT);
    const response = await deleteSelection(dataSetId, selectionId);
    if ('jobId' in response) return follow(response, 'Deleting', 'Deleted');
    const refusedResults = response.results.filter(({ outcome }) => outcome === 'refused');
    await reportResults(refusedResults, ({ key }) => key);
  }

  return {
    restore,
    restoreDeletedBy: async (commandId) => {
      const { selectionId, count } = await freezeRowsOfCommand(dataSetId, commandId, 'deleted');
      if (count === 0) throw new Error(ALL_CHANGED_TEXT);
      await restore({ rows: [], selectionId, count, clear: () => undefined });
    },
    dialogs,
  };
}

export const singleRow = (row: InstanceView): Selection<InstanceView> => ({
  rows: [row],
  selectionId: undefined,
  count: 1,
  clear: () => undefined,
});
