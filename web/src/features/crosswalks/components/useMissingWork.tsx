/** What is done about missing mappings: mapped, ignored or listed again, one or many, with an answer for each. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Outcome, OutcomesDialog, type Running } from '../../../components/outcomes/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { reloadCrosswalk } from '../api/crosswalks.ts';
import { draftMappings, type NewMapping } from '../api/mappings.ts';
import { ignoreMissing, type MissingMapping, mapMissing, reopenMissing } from '../api/missing.ts';
import { draftInPieces, pairOf } from './acceptance.ts';

/** Rows that have a suggestion, by crosswalk: each is a list of pairs to draft. */
export function pairsByCrosswalk(rows: readonly MissingMapping[]): Map<number, NewMapping[]> {
  const pairs = new Map<number, NewMapping[]>();
  for (const { crosswalkId, sourceValue, suggestion } of rows) {
    if (!suggestion) continue;
    pairs.set(crosswalkId, [...(pairs.get(crosswalkId) ?? []), pairOf(sourceValue, suggestion)]);
  }
  return pairs;
}

export function useMissingWork() {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [run, setRun] = useState<{ title: string; running?: Running; outcomes: Outcome[] }>();

  const reload = async (rows: readonly MissingMapping[]) => {
    for (const id of new Set(rows.map((row) => row.crosswalkId))) await reloadCrosswalk(queries, id);
  };

  async function map(row: MissingMapping, target: Omit<NewMapping, 'sourceValue'>) {
    try {
      await mapMissing(row.id, target);
      notify.success('Draft mapped', {
        description: `${row.sourceValue} → ${target.targetValue}. It leaves this list once it is approved.`,
        href: `/crosswalks/${row.crosswalkId}/mappings?tab=draft`,
      });
    } catch (error) {
      notify.error(messageOf(error), { title: `${row.sourceValue} was not mapped` });
    }
    await reload([row]);
  }

  /** Drafts the best suggestion of each of these rows. */
  async function mapAll(rows: readonly MissingMapping[]) {
    const byCrosswalk = pairsByCrosswalk(rows);
    const total = [...byCrosswalk.values()].reduce((sum, pairs) => sum + pairs.length, 0);
    const outcomes: Outcome[] = [];
    const show = (done: number) => setRun({ title: 'Drafting mappings…', running: { done, total }, outcomes: [] });
    show(0);
    for (const [crosswalkId, pairs] of byCrosswalk) {
      const before = outcomes.length;
      const drafted = await draftInPieces(
        pairs,
        (some) => draftMappings(crosswalkId, some),
        (done) => show(before + done),
      );
      for (const { sourceValue, targetValue, outcome, message } of drafted) {
        const id = `${crosswalkId} ${sourceValue}`;
        outcomes.push({
          id,
          label: <span className="font-mono">{`${sourceValue} → ${targetValue}`}</span>,
          outcome,
          message,
        });
      }
    }
    setRun({ title: 'Drafted', outcomes });
    await reload(rows);
  }

  /** Does the same to each row, one after the other; a single one is told in a toast, many in a dialog. */
  async function each(rows: readonly MissingMapping[], done: string, act: (row: MissingMapping) => Promise<unknown>) {
    setBusy(true);
    const outcomes: Outcome[] = [];
    for (const row of rows) {
      const label = <span className="font-mono">{row.sourceValue}</span>;
      try {
        await act(row);
        outcomes.push({ id: row.id, label, outcome: 'done' });
      } catch (error) {
        outcomes.push({ id: row.id, label, outcome: 'refused', message: messageOf(error) });
      }
      if (rows.length > 1) {
        setRun({ title: `${done}…`, running: { done: outcomes.length, total: rows.length }, outcomes: [] });
      }
    }
    setBusy(false);
    const [row] = rows;
    const [only] = outcomes;
    if (rows.length > 1) setRun({ title: done, outcomes });
    else if (row && only?.outcome === 'done') notify.success(done, { description: row.sourceValue });
    else if (row) notify.error(only?.message ?? '', { title: `${row.sourceValue} stayed as it was` });
    await reload(rows);
  }

  return {
    busy,
    map,
    mapAll,
    ignore: (rows: readonly MissingMapping[], reason: string) =>
      each(rows, 'Ignored', (row) => ignoreMissing(row.id, reason)),
    reopen: (rows: readonly MissingMapping[]) => each(rows, 'Listed again', (row) => reopenMissing(row.id)),
    dialog: run !== undefined && (
      <OutcomesDialog
        title={run.title}
        running={run.running}
        outcomes={run.outcomes}
        onClose={() => setRun(undefined)}
      />
    ),
  };
}
