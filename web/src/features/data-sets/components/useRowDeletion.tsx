/** Deletes rows, chosen one by one or all that match: what speaks of them is told first, and the deletion can be taken back. */
import type { InstanceView } from '@rdm/contracts/data-sets';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Selection } from '../../../components/data-grid/index.ts';
import { type Outcome, OutcomesDialog } from '../../../components/outcomes/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Confirm } from '../../../components/ui/dialog.tsx';
import { grouped } from '../../../lib/grouped.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { dataSetKey } from '../api/data-sets.ts';
import { deleteInstances, deleteSelection, referencesQuery, reloadInstances } from '../api/instances.ts';
import type { Step } from '../sheet/history.ts';

/** Of so many rows it is asked what speaks of them; of more it is said that something may. */
const ASKED_ROWS = 20;

const rowWord = (count: number) => `${grouped(count)} ${count === 1 ? 'row' : 'rows'}`;

interface Asked {
  selection: Selection<InstanceView>;
  /** Mappings and relationship values that speak of them; undefined where nobody counted. */
  references: number | undefined;
}

export function useRowDeletion(
  dataSetId: number,
  onDeleted: (step: Step) => void,
): { ask: (selection: Selection<InstanceView>) => Promise<void>; dialogs: ReactNode } {
  const queries = useQueryClient();
  const [asked, setAsked] = useState<Asked>();
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>();

  /** One row that nothing speaks of goes at once: it comes back as easily. */
  async function ask(selection: Selection<InstanceView>): Promise<void> {
    const { rows, selectionId, count } = selection;
    if (selectionId !== undefined || count > ASKED_ROWS) return setAsked({ selection, references: undefined });
    try {
      const found = await Promise.all(rows.map(({ id }) => queries.fetchQuery(referencesQuery(dataSetId, id))));
      const references = found.reduce((sum, { mappingCount, valueCount }) => sum + mappingCount + valueCount, 0);
      if (count === 1 && references === 0) await remove(selection);
      else setAsked({ selection, references });
    } catch (error) {
      notify.error(messageOf(error), { title: 'Nothing was deleted' });
    }
  }

  async function remove({ rows, selectionId, clear }: Selection<InstanceView>): Promise<void> {
    const known = new Map(rows.map((row) => [row.id, row]));
    const keyOf = (id: number) => known.get(id)?.key ?? `Row ${id}`;
    try {
      const { results } =
        selectionId === undefined
          ? await deleteInstances(dataSetId, rows)
          : await deleteSelection(dataSetId, selectionId);
      clear();
      const done = results.filter(({ outcome }) => outcome === 'done');
      if (done.length < results.length) {
        setOutcomes(results.map(({ id, outcome, message }) => ({ id, label: keyOf(id), outcome, message })));
      }
      await Promise.all([
        reloadInstances(queries, dataSetId),
        queries.invalidateQueries({ queryKey: dataSetKey(dataSetId) }),
      ]);
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
      {asked !== undefined && (
        <Confirm
          open
          onOpenChange={(open) => !open && setAsked(undefined)}
          title={`Delete ${rowWord(asked.selection.count)}?`}
          description={deletionOf(asked.selection.count, asked.references)}
          confirm="Delete"
          onConfirm={() => {
            setAsked(undefined);
            void remove(asked.selection);
          }}
        />
      )}
      {outcomes !== undefined && (
        <OutcomesDialog title="Not every row" outcomes={outcomes} onClose={() => setOutcomes(undefined)} />
      )}
    </>
  );
  return { ask, dialogs };
}

/** What the deletion means for the rows, and for what speaks of them. */
export function deletionOf(count: number, references: number | undefined): string {
  const [leave, history, them] =
    count === 1 ? ['It leaves', 'Its history', 'it'] : ['They leave', 'Their history', 'them'];
  return `${leave} the data set, and you can undo it right after. ${history} stays.${impactOf(references, them)}`;
}

function impactOf(references: number | undefined, them: string): string {
  if (references === 0) return '';
  if (references === undefined) return ` Mappings and relationships that speak of ${them} will be shown as broken.`;
  return references === 1
    ? ` One mapping or relationship speaks of ${them}: it will be shown as broken.`
    : ` ${grouped(references)} mappings and relationships speak of ${them}: they will be shown as broken.`;
}
