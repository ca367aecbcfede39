/** Deletes rows, selected or all that match: lists references first, and offers to undo the deletion. */

import type { DeletionImpact } from '@rdm/contracts/data-sets/instance-paste';
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Selection } from '../../../components/data-grid/index.ts';
import { reportJobEnd, useFollowedJobs } from '../../../components/deciding-job/index.tsx';
import { type Outcome, OutcomesDialog } from '../../../components/row-outcomes/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { dataSetKey } from '../api/data-sets.ts';
import { deleteInstances, deleteSelection, deletionImpact, reloadInstances } from '../api/instances.ts';
import type { Step } from '../sheet/undo/history.ts';
import { DeleteRowsDialog } from './DeleteRowsDialog.tsx';

const rowWord = (count: number) => `${formatNumber(count)} ${count === 1 ? 'row' : 'rows'}`;

interface PendingDeletion {
  selection: Selection<InstanceView>;
  impact: DeletionImpact;
}

export function useRowDeletion(
  dataSetId: number,
  onDeleted: (step: Step) => void,
  /** Called with the number of rows that a job deleted: they are not listed one by one. */
  onManyDeleted: (commandId: string, count: number) => void,
): { confirmDeletion: (selection: Selection<InstanceView>) => Promise<void>; dialogs: ReactNode } {
  const queries = useQueryClient();
  const [pending, setPending] = useState<PendingDeletion>();
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>();
  const jobs = useFollowedJobs();
  const reload = () =>
    Promise.all([reloadInstances(queries, dataSetId), queries.invalidateQueries({ queryKey: dataSetKey(dataSetId) })]);

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

  function follow(job: DecidedAsJob): void {
    jobs.follow({
      job,
      doing: 'Deleting',
      what: rowWord(job.total),
      onEnd: (ended) => {
        reportJobEnd(ended, 'Deleted');
        void reload();
        if (ended.counts.changed > 0) onManyDeleted(job.commandId, ended.counts.changed);
      },
    });
  }

  async function remove({ rows, selectionId, clear }: Selection<InstanceView>): Promise<void> {
    const known = new Map(rows.map((row) => [row.id, row]));
    const keyOf = (id: number) => known.get(id)?.key ?? `Row ${id}`;
    try {
      const response =
        selectionId === undefined
          ? await deleteInstances(dataSetId, rows)
          : await deleteSelection(dataSetId, selectionId);
      clear();
      if ('jobId' in response) return follow(response);
      const { results } = response;
      const done = results.filter(({ outcome }) => outcome === 'done');
      if (done.length < results.length) {
        setOutcomes(
          results.map(({ id, outcome, message, key }) => ({ id, label: key ?? keyOf(id), outcome, message })),
        );
      }
      await reload();
      if (done.length === 0) return;
      onDeleted({
        text: done.length === 1 ? `${keyOf(done[0]?.id ?? 0)} deleted` : `${rowWord(done.length)} deleted`,
        cells: [],
        added: [],
        deleted: done.map(({ id, revision }) => ({
          id,
          key: keyOf(id),
          revision: revision ?? 1,
          data: known.get(id)?.data ?? {},
        })),
      });
    } catch (error) {
      notify.error(messageOf(error), { title: 'Nothing was deleted' });
    }
  }

  const dialogs = (
    <>
      {jobs.bars}
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
      {outcomes !== undefined && (
        <OutcomesDialog title="Not every row" outcomes={outcomes} onClose={() => setOutcomes(undefined)} />
      )}
    </>
  );
  return { confirmDeletion, dialogs };
}
