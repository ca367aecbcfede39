/** Actions on missing mappings: maps, ignores or reopens one or many, with a result for each and an undo. */
import { BULK_ANSWER_ROWS } from '@rdm/contracts/constants';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Outcome, OutcomesDialog, type RunningAction } from '../../../../components/row-outcomes/index.tsx';
import { notify } from '../../../../components/toast/index.ts';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { messageOf, rowMessage } from '../../../../lib/messages/index.ts';
import { formatNumber } from '../../../../lib/number-format.ts';
import { reloadCrosswalk } from '../../api/crosswalks.ts';
import { type BulkAnswer, draftMappings, type NewMapping, reviewMappings } from '../../api/mappings.ts';
import {
  decideMissing,
  ignoreMissing,
  type MissingMapping,
  type MissingSelection,
  mapMissing,
  missingNames,
  reopenMissing,
} from '../../api/missing.ts';
import { mappingsText } from '../mappings/review-words.ts';
import { CHUNK, draftInChunks, pairOf } from '../suggestions/acceptance.ts';
import { useDraftUndoJob } from '../suggestions/useDraftUndoJob.tsx';

/** Rows with a suggestion, by crosswalk: each is a list of pairs to draft. */
export function pairsByCrosswalk(rows: readonly MissingMapping[]): Map<number, NewMapping[]> {
  const pairs = new Map<number, NewMapping[]>();
  for (const { crosswalkId, sourceValue, suggestion } of rows) {
    if (!suggestion) continue;
    pairs.set(crosswalkId, [...(pairs.get(crosswalkId) ?? []), pairOf(sourceValue, suggestion)]);
  }
  return pairs;
}

/** Why no suggestion of a row can be accepted; undefined if it can. */
export const acceptRefusal = ({ suggestion, proposed }: MissingMapping): string | undefined => {
  if (proposed !== null)
    return proposed.status === 'DRAFT' ? 'It has a draft already' : 'Its mapping waits for approval';
  return suggestion === null || suggestion === undefined ? 'There is no suggestion' : undefined;
};

const valuesText = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'value' : 'values'}`;

/** Missing mappings of a page, or all that match. */
export type ChosenRows = { rows: readonly MissingMapping[]; selectionId: string | undefined; count: number };

const chosenOf = ({ rows, selectionId, count }: ChosenRows): MissingSelection =>
  selectionId === undefined ? { ids: rows.map(({ id }) => id) } : { selectionId, count };

/** A draft, with the command that created it. */
interface DraftedRow {
  id: number;
  revision: number;
  commandId: string | undefined;
}

const DONE = { ignore: 'Ignored', reopen: 'Listed again' } as const;
/** The undo of each action: reopened values get their previous reasons back when ignored again. */
const UNDONE_BY = { ignore: 'reopen', reopen: 'again' } as const;

export function useMissingActions(onUndoable: (action: Undoable) => void) {
  const queries = useQueryClient();
  const draftUndo = useDraftUndoJob();
  const [busy, setBusy] = useState(false);
  const [run, setRun] = useState<{ title: string; running?: RunningAction; outcomes: Outcome[]; note?: ReactNode }>();

  const reload = async (crosswalkIds: Iterable<number>) => {
    await queries.invalidateQueries({ queryKey: ['missing-mappings'] });
    for (const id of new Set(crosswalkIds)) await reloadCrosswalk(queries, id);
  };
  const ofRows = (rows: readonly MissingMapping[]) => rows.map((row) => row.crosswalkId);

  async function map(row: MissingMapping, target: Omit<NewMapping, 'sourceValue'>) {
    try {
      const { results, commandId } = await mapMissing(row.id, target);
      notify.success('Draft mapped', {
        description: `${row.sourceValue} → ${target.targetValue}. It leaves this list once it is approved.`,
        href: `/crosswalks/${row.crosswalkId}/mappings?tab=draft`,
      });
      const drafted = results
        .filter(({ outcome }) => outcome === 'done')
        .map(({ id, revision }) => ({ id, revision: revision ?? 1, commandId }));
      offerDeletion(new Map([[row.crosswalkId, drafted]]));
    } catch (error) {
      notify.error(messageOf(error), { title: `${row.sourceValue} was not mapped` });
    }
    await reload(ofRows([row]));
  }

  function offerDeletion(drafted: ReadonlyMap<number, readonly DraftedRow[]>) {
    const count = [...drafted.values()].reduce((sum, rows) => sum + rows.length, 0);
    if (count === 0) return;
    onUndoable({
      text: `${mappingsText(count)} drafted.`,
      undo: async () => {
        const kept: BulkAnswer['results'] = [];
        for (const [crosswalkId, rows] of drafted) {
          if (rows.length > BULK_ANSWER_ROWS) {
            await draftUndo.undoAsJob(crosswalkId, [...new Set(rows.flatMap(({ commandId }) => commandId ?? []))]);
            continue;
          }
          for (let start = 0; start < rows.length; start += CHUNK) {
            const { results } = await reviewMappings(crosswalkId, 'delete', { rows: rows.slice(start, start + CHUNK) });
            kept.push(...results.filter(({ outcome }) => outcome === 'refused'));
          }
        }
        await reload(drafted.keys());
        if (kept.length > 0) {
          notify.error(`${mappingsText(kept.length)} stayed: ${kept[0]?.message ?? 'changed in the meantime'}`, {
            title: 'Undone as far as possible',
          });
        }
      },
    });
  }

  /** Drafts the best suggestion of each row that has one and no mapping yet, page by page; `total` is their number. */
  async function mapAll(batches: AsyncIterable<readonly MissingMapping[]>, total: number) {
    const outcomes: Outcome[] = [];
    const drafted = new Map<number, DraftedRow[]>();
    let looked = 0;
    let left = 0;
    let broken: unknown;
    const show = () =>
      setRun({ title: 'Drafting mappings…', running: { done: Math.min(looked, total), total }, outcomes: [] });
    show();
    try {
      for await (const rows of batches) {
        const open = rows.filter((row) => acceptRefusal(row) === undefined);
        left += rows.length - open.length;
        for (const [crosswalkId, pairs] of pairsByCrosswalk(open)) {
          const done = await draftInChunks(pairs, (some) => draftMappings(crosswalkId, some), show);
          for (const { sourceValue, targetValue, outcome, message, drafted: row, commandId } of done) {
            const label = <span className="font-mono">{`${sourceValue} → ${targetValue}`}</span>;
            outcomes.push({ id: `${crosswalkId} ${sourceValue}`, label, outcome, message });
            if (row === undefined) continue;
            const known = drafted.get(crosswalkId);
            if (known === undefined) drafted.set(crosswalkId, [{ ...row, commandId }]);
            else known.push({ ...row, commandId });
          }
        }
        looked += rows.length;
        show();
      }
    } catch (error) {
      broken = error;
    }
    const note = left > 0 && `${valuesText(left)} had no suggestion, or a draft or a pending mapping already.`;
    setRun({ title: 'Drafted', outcomes, note });
    if (broken !== undefined) notify.error(messageOf(broken), { title: 'Not all of them were checked' });
    offerDeletion(drafted);
    await reload(drafted.keys());
  }

  /** The result for a single row is a toast. */
  async function one(row: MissingMapping, verb: 'ignore' | 'reopen', act: () => Promise<unknown>) {
    setBusy(true);
    try {
      await act();
      notify.success(DONE[verb], { description: row.sourceValue });
      offerUndo(verb, [row.id], ofRows([row]));
    } catch (error) {
      notify.error(messageOf(error), { title: `${row.sourceValue} stayed as it was` });
    }
    setBusy(false);
    await reload(ofRows([row]));
  }

  function offerUndo(verb: 'ignore' | 'reopen', ids: readonly number[], crosswalkIds: readonly number[]) {
    onUndoable({
      text: `${DONE[verb]}: ${valuesText(ids.length)}.`,
      undo: async () => {
        const kept: BulkAnswer['results'] = [];
        try {
          await decideMissing(UNDONE_BY[verb], { ids }, undefined, (results) =>
            kept.push(...results.filter(({ outcome }) => outcome === 'refused')),
          );
        } finally {
          await reload(crosswalkIds);
        }
        if (kept.length > 0) {
          notify.error(`${valuesText(kept.length)} stayed: ${kept[0]?.message ?? 'changed in the meantime'}`, {
            title: 'Undone as far as possible',
          });
        }
      },
    });
  }

  /** The same for many: several requests, and a dialog that lists the rejected rows. */
  async function many(verb: 'ignore' | 'reopen', chosen: ChosenRows, comment?: string) {
    setBusy(true);
    const allResults: BulkAnswer['results'] = [];
    const show = () =>
      setRun({ title: `${DONE[verb]}…`, running: { done: allResults.length, total: chosen.count }, outcomes: [] });
    show();
    try {
      await decideMissing(verb, chosenOf(chosen), comment, (results) => {
        allResults.push(...results);
        show();
      });
    } catch (error) {
      notify.error(messageOf(error), { title: 'Not all of them were processed' });
    }
    const done = allResults.flatMap(({ id, outcome }) => (outcome === 'done' ? [id] : []));
    if (done.length > 0) offerUndo(verb, done, ofRows(chosen.rows));
    const known = new Map(chosen.rows.map(({ id, sourceValue }) => [id, sourceValue]));
    const unknown = allResults.flatMap(({ id, outcome }) => (outcome === 'done' || known.has(id) ? [] : [id]));
    // Rows whose names are unknown are listed by their number.
    const names = await missingNames(unknown).catch(() => new Map<number, string>());
    const outcomes = allResults.map((result): Outcome => {
      const label = (
        <span className="font-mono">{known.get(result.id) ?? names.get(result.id) ?? `Value ${result.id}`}</span>
      );
      return { id: result.id, label, outcome: result.outcome, message: rowMessage(result) };
    });
    setRun({ title: DONE[verb], outcomes });
    setBusy(false);
    await reload(ofRows(chosen.rows));
  }

  return {
    busy,
    map,
    mapAll,
    ignore: (chosen: ChosenRows, reason: string) => {
      const [row] = chosen.rows;
      return row !== undefined && chosen.count === 1
        ? one(row, 'ignore', () => ignoreMissing(row.id, reason))
        : many('ignore', chosen, reason);
    },
    reopen: (chosen: ChosenRows) => {
      const [row] = chosen.rows;
      return row !== undefined && chosen.count === 1
        ? one(row, 'reopen', () => reopenMissing(row.id))
        : many('reopen', chosen);
    },
    dialog: (
      <>
        {draftUndo.bars}
        {run !== undefined && (
          <OutcomesDialog
            title={run.title}
            running={run.running}
            outcomes={run.outcomes}
            note={run.note}
            onClose={() => setRun(undefined)}
          />
        )}
      </>
    ),
  };
}
