/** Undoes batches. First lists the rows that were changed later, and afterwards the rows that were not undone. */

import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import type { BatchView, LaterWork, UndoneOutcome } from '@rdm/contracts/review/batches';
import { type ReactNode, useState } from 'react';
import { read, type Written, write } from '../../lib/api/index.ts';
import { messageOf, rowMessage } from '../../lib/messages/index.ts';
import { rowsText } from '../../lib/number-format.ts';
import { reportJobEnd, useFollowedJobs } from '../bulk-job/index.tsx';
import { NamesOf, Person } from '../people/index.tsx';
import { lastChangeOf, type Outcome, OutcomesDialog } from '../row-outcomes/index.tsx';
import { notify } from '../toast/index.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import type { Undoable } from '../undo-bar/index.tsx';

interface UndoAnswer extends Written {
  results: UndoneOutcome[];
}

/** The server answers with a job if the batch has many decisions. */
const undoBatch = (commandId: string): Promise<UndoAnswer | (DecidedAsJob & Written)> =>
  write('POST', `/api/batches/${commandId}/undo`, {});

type Part = BatchView['parts'][number];
type LaterRow = LaterWork & Pick<Part, 'kind' | 'parentId'>;

interface LaterChangesConfirmation {
  /** Why no row of the first batch can be undone; null if a row can be undone. */
  message: string | null;
  /** The effect of the undo on the rows. */
  consequence: string;
  count: number;
  laterCount: number;
  later: { row: LaterRow; label: string }[];
  answer: (isConfirmed: boolean) => void;
}

export interface BatchUndoOptions {
  /** Returns the labels of rows by `batchRowKey`. A row without a label is shown with its id. */
  labelsOf: (rows: readonly Pick<UndoneOutcome, 'kind' | 'parentId' | 'id'>[]) => Promise<ReadonlyMap<string, string>>;
  reload: () => Promise<unknown>;
}

export const batchRowKey = ({ kind, parentId, id }: Pick<UndoneOutcome, 'kind' | 'parentId' | 'id'>): string =>
  `${kind} ${parentId} ${id}`;

/** At most this many rows are shown with labels. */
const LABELLED_MAX = 500;
/** The verb of an event type: `MappingsEdited` becomes "edited". */
const verbOfEvent = (type: string): string => (/[A-Z][a-z]+$/.exec(type)?.[0] ?? 'changed').toLowerCase();

/** Reads the batch; undefined while the read models do not contain it yet. */
export const batchOf = (commandId: string): Promise<BatchView | undefined> =>
  read<BatchView>(`/api/batches/${commandId}`).catch((error: { status?: number }) => {
    if (error.status === 404) return undefined;
    throw error;
  });

export interface BatchUndo {
  /** Returns the action with which the undo bar undoes the commands. */
  undoable: (text: ReactNode, commandIds: readonly string[]) => Undoable;
  /** Undoes an earlier batch after the user has confirmed. */
  confirmUndo: (commandId: string) => Promise<void>;
  dialogs: ReactNode;
}

export function useBatchUndo({ labelsOf, reload }: BatchUndoOptions): BatchUndo {
  const [confirmation, setConfirmation] = useState<LaterChangesConfirmation>();
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>();
  const jobs = useFollowedJobs();

  const withLabels = async <Row extends Pick<UndoneOutcome, 'kind' | 'parentId' | 'id'>>(rows: readonly Row[]) => {
    const labels = rows.length === 0 ? new Map<string, string>() : await labelsOf(rows.slice(0, LABELLED_MAX));
    return rows.map((row) => ({ row, label: labels.get(batchRowKey(row)) ?? `Row ${row.id}` }));
  };

  /** Returns whether to undo. Without later changes, requests confirmation only if `isRequired`. */
  async function confirmLaterChanges(batches: readonly BatchView[], isRequired = false): Promise<boolean> {
    const laterCount = batches.reduce((sum, { undo }) => sum + undo.laterCount, 0);
    if (laterCount === 0 && !isRequired) return true;
    const count = batches.reduce((sum, { undo }) => sum + undo.count, 0);
    const rows = batches.flatMap(({ parts }) =>
      parts.flatMap(({ later, kind, parentId }) => later.map((row): LaterRow => ({ ...row, kind, parentId }))),
    );
    const later = await withLabels(rows);
    return new Promise((resolve) => {
      const answer = (isConfirmed: boolean) => {
        setConfirmation(undefined);
        resolve(isConfirmed);
      };
      setConfirmation({
        message: batches[0]?.undo.message ?? null,
        consequence: consequenceOf(batches, count),
        ...{ count, laterCount, later, answer },
      });
    });
  }

  async function undo(commandIds: readonly string[]): Promise<boolean> {
    const batches = (await Promise.all(commandIds.map(batchOf))).filter((batch) => batch !== undefined);
    return (await confirmLaterChanges(batches)) && undoConfirmed(commandIds);
  }

  /** Displays the job in place of the undo bar until the job has ended. */
  function follow(job: DecidedAsJob): void {
    jobs.follow({
      job,
      action: 'Undoing',
      target: rowsText(job.total),
      onEnd: (ended) => {
        reportJobEnd(ended, 'Undone');
        void reload();
      },
    });
  }

  async function confirmUndo(commandId: string): Promise<void> {
    try {
      if (await confirmLaterChanges([await read<BatchView>(`/api/batches/${commandId}`)], true))
        await undoConfirmed([commandId]);
    } catch (error) {
      notify.error(messageOf(error), { title: 'This could not be undone' });
    }
  }

  async function undoConfirmed(commandIds: readonly string[]): Promise<true> {
    const results: UndoneOutcome[] = [];
    for (const commandId of commandIds) {
      const response = await undoBatch(commandId);
      if ('jobId' in response) follow(response);
      else results.push(...response.results);
    }
    await reload();
    if (results.length === 0) return true;
    const refused = results.filter(({ outcome }) => outcome === 'refused');
    if (refused.length === 0) notify.success('Undone', { description: rowsText(results.length) });
    else {
      const labelledRows = await withLabels([...refused, ...results.filter(({ outcome }) => outcome === 'done')]);
      setOutcomes(
        labelledRows.map(({ row, label }) => ({
          id: batchRowKey(row),
          label: <span className="font-mono">{label}</span>,
          outcome: row.outcome,
          message: rowMessage(row),
          changed: lastChangeOf(row),
        })),
      );
    }
    return true;
  }

  return {
    confirmUndo,
    undoable: (text, commandIds) => ({ text, undo: () => undo(commandIds) }),
    dialogs: (
      <>
        {jobs.bars}
        {confirmation !== undefined && <LaterChangesDialog {...confirmation} />}
        {outcomes !== undefined && (
          <OutcomesDialog
            title="Undone as far as possible"
            outcomes={outcomes}
            onClose={() => setOutcomes(undefined)}
          />
        )}
      </>
    ),
  };
}

function consequenceOf(batches: readonly BatchView[], count: number): string {
  const parts = batches.flatMap((batch) => batch.parts);
  return parts.every(({ did }) => did === 'approved' || did === 'rejected')
    ? `${count === 1 ? 'The item is' : 'The items are'} under review again.`
    : 'Added records are deleted, and changed records get their previous values and statuses.';
}

function LaterChangesDialog({ message, consequence, count, laterCount, later, answer }: LaterChangesConfirmation) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && answer(false)}
      title={count === 0 ? 'Nothing is left to undo' : `Undo ${laterCount > 0 ? 'the other ' : ''}${rowsText(count)}?`}
      description={
        laterCount > 0
          ? `${rowsText(laterCount)} ${laterCount === 1 ? 'was changed later. This row stays as it is.' : 'were changed later. These rows stay as they are.'}`
          : count === 0
            ? 'No row of these changes can be undone.'
            : 'These changes are undone together.'
      }
      footer={
        <>
          <Button onClick={() => answer(false)}>{count === 0 ? 'Close' : 'Cancel'}</Button>
          {count > 0 && (
            <Button variant="primary" onClick={() => answer(true)}>
              Undo {rowsText(count)}
            </Button>
          )}
        </>
      }
    >
      {laterCount === 0 && <p>{count === 0 ? message : consequence}</p>}
      <NamesOf ids={later.map(({ row }) => row.changedBy)}>
        <ul className="max-h-72 divide-y divide-hairline overflow-y-auto text-sm">
          {later.map(({ row, label }) => (
            <li key={batchRowKey(row)} className="flex flex-wrap items-baseline justify-between gap-x-3 py-1.5">
              <span className="min-w-0 break-words font-mono">{label}</span>
              <span className="text-muted text-xs">
                {verbOfEvent(row.type)} by <Person id={row.changedBy} />, {new Date(row.changedAt).toLocaleString()}
              </span>
            </li>
          ))}
        </ul>
      </NamesOf>
      {laterCount > later.length && (
        <p className="text-muted text-xs">And {rowsText(laterCount - later.length)} more.</p>
      )}
    </Dialog>
  );
}
