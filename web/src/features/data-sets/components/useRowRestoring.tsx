/** Brings deleted rows back, chosen one by one or all that match: each is answered for itself, and it can be taken back. */
import type { InstanceView } from '@rdm/contracts/data-sets';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Selection } from '../../../components/data-grid/index.ts';
import { type Outcome, OutcomesDialog } from '../../../components/outcomes/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import type { Undoable } from '../../../components/undo-bar/index.tsx';
import { grouped } from '../../../lib/grouped.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { dataSetKey } from '../api/data-sets.ts';
import { deleteInstances, reloadInstances, restoreInstances, restoreSelection } from '../api/instances.ts';

export function useRowRestoring(
  dataSetId: number,
  onRestored: (action: Undoable) => void,
): { restore: (selection: Selection<InstanceView>) => Promise<void>; dialogs: ReactNode } {
  const queries = useQueryClient();
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>();

  const reload = () =>
    Promise.all([reloadInstances(queries, dataSetId), queries.invalidateQueries({ queryKey: dataSetKey(dataSetId) })]);

  async function restore({ rows, selectionId, clear }: Selection<InstanceView>): Promise<void> {
    const known = new Map(rows.map((row) => [row.id, row.key]));
    const keyOf = (id: number) => known.get(id) ?? `Row ${id}`;
    try {
      const { results } =
        selectionId === undefined
          ? await restoreInstances(dataSetId, rows)
          : await restoreSelection(dataSetId, selectionId);
      clear();
      const done = results.filter(({ outcome }) => outcome === 'done');
      if (done.length < results.length) {
        setOutcomes(results.map(({ id, outcome, message }) => ({ id, label: keyOf(id), outcome, message })));
      }
      await reload();
      if (done.length === 0) return;
      onRestored({
        text: `${done.length === 1 ? keyOf(done[0]?.id ?? 0) : `${grouped(done.length)} rows`} restored`,
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

  return {
    restore,
    dialogs: outcomes !== undefined && (
      <OutcomesDialog title="Not every row" outcomes={outcomes} onClose={() => setOutcomes(undefined)} />
    ),
  };
}

/** One row, as a selection of it alone. */
export const onlyRow = (row: InstanceView): Selection<InstanceView> => ({
  rows: [row],
  selectionId: undefined,
  count: 1,
  clear: () => undefined,
});
