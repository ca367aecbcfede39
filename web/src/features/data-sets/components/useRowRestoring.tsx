/** Restores deleted rows, selected or all that match: reports the result for each row, and offers to undo it. */

import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Selection } from '../../../components/data-grid/index.ts';
import { reportJobEnd, useFollowedJobs } from '../../../components/deciding-job/index.tsx';
import { type Outcome, OutcomesDialog } from '../../../components/row-outcomes/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import type { Undoable } from '../../../components/undo-bar/index.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { dataSetKey } from '../api/data-sets.ts';
import {
  deleteInstances,
  deleteSelection,
  freezeRowsOfCommand,
  reloadInstances,
  restoreInstances,
  restoreSelection,
} from '../api/instances.ts';

const rowsText = (count: number) => `${formatNumber(count)} ${count === 1 ? 'row' : 'rows'}`;
const TOUCHED = 'All of these rows were changed since: nothing is left to undo.';

export function useRowRestoring(
  dataSetId: number,
  onRestored: (action: Undoable) => void,
): {
  restore: (selection: Selection<InstanceView>) => Promise<void>;
  /** Restores the rows that a command deleted, except those that were changed since. */
  restoreDeletedBy: (commandId: string) => Promise<void>;
  dialogs: ReactNode;
} {
  const queries = useQueryClient();
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>();
  const jobs = useFollowedJobs();

  const reload = () =>
    Promise.all([reloadInstances(queries, dataSetId), queries.invalidateQueries({ queryKey: dataSetKey(dataSetId) })]);

  async function restore({ rows, selectionId, clear }: Selection<InstanceView>): Promise<void> {
    const known = new Map(rows.map((row) => [row.id, row.key]));
    const keyOf = (id: number) => known.get(id) ?? `Row ${id}`;
    try {
      const response =
        selectionId === undefined
          ? await restoreInstances(dataSetId, rows)
          : await restoreSelection(dataSetId, selectionId);
      clear();
      if ('jobId' in response) return followRestoring(response);
      const { results } = response;
      const done = results.filter(({ outcome }) => outcome === 'done');
      if (done.length < results.length) {
        setOutcomes(
          results.map(({ id, outcome, message, key }) => ({ id, label: key ?? keyOf(id), outcome, message })),
        );
      }
      await reload();
      if (done.length === 0) return;
      onRestored({
        text: `${done.length === 1 ? keyOf(done[0]?.id ?? 0) : `${formatNumber(done.length)} rows`} restored`,
        undo: async () => {
          const { results: deleted } = await deleteInstances(
            dataSetId,
            done.map(({ id, revision = 1 }) => ({ id, revision })),
          );
          await reload();
          if (deleted.some(({ outcome }) => outcome === 'refused')) {
            setOutcomes(deleted.map(({ id, outcome, message }) => ({ id, label: keyOf(id), outcome, message })));
          }
        },
      });
    } catch (error) {
      notify.error(messageOf(error), { title: 'Nothing was restored' });
    }
  }

  function followRestoring(job: DecidedAsJob): void {
    jobs.follow({
      job,
      doing: 'Restoring',
      what: rowsText(job.total),
      onEnd: (ended) => {
        reportJobEnd(ended, 'Restored');
        void reload();
        const { changed } = ended.counts;
        if (changed > 0) {
          onRestored({ text: `${rowsText(changed)} restored`, undo: () => deleteRestoredBy(job.commandId) });
        }
      },
    });
  }

  async function deleteRestoredBy(commandId: string): Promise<void> {
    const { selectionId, count } = await freezeRowsOfCommand(dataSetId, commandId, 'restored');
    if (count === 0) throw new Error(TOUCHED);
    const response = await deleteSelection(dataSetId, selectionId);
    if (!('jobId' in response)) {
      const kept = response.results.filter(({ outcome }) => outcome === 'refused');
      if (kept.length > 0)
        setOutcomes(kept.map(({ id, outcome, message, key }) => ({ id, label: key, outcome, message })));
      await reload();
      return;
    }
    jobs.follow({
      job: response,
      doing: 'Deleting',
      what: rowsText(response.total),
      onEnd: (ended) => {
        reportJobEnd(ended, 'Deleted');
        void reload();
      },
    });
  }

  return {
    restore,
    restoreDeletedBy: async (commandId) => {
      const { selectionId, count } = await freezeRowsOfCommand(dataSetId, commandId, 'deleted');
      if (count === 0) throw new Error(TOUCHED);
      await restore({ rows: [], selectionId, count, clear: () => undefined });
    },
    dialogs: (
      <>
        {jobs.bars}
        {outcomes !== undefined && (
          <OutcomesDialog title="Not every row" outcomes={outcomes} onClose={() => setOutcomes(undefined)} />
        )}
      </>
    ),
  };
}

/** One row, as a selection. */
export const singleRow = (row: InstanceView): Selection<InstanceView> => ({
  rows: [row],
  selectionId: undefined,
  count: 1,
  clear: () => undefined,
});
