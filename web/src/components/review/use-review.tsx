/** Runs review verbs on rows: requests confirmation, reports the result for each row, and offers an undo. */

import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import type { JobView } from '@rdm/contracts/jobs/jobs';
import { VERB_LEVEL } from '@rdm/contracts/review/approval';
import { isDefinitionKind } from '@rdm/contracts/review/approval-kinds';
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router-dom';
import { failedTitle, messageOf, rowMessage } from '../../lib/messages/index.ts';
import { BulkJobProgress, reportJobEnd } from '../bulk-job/index.tsx';
import { CommentDialog } from '../comment-dialog/index.tsx';
import type { Selection } from '../data-grid/index.ts';
import { lastChangeOf, type Outcome, OutcomesDialog } from '../row-outcomes/index.tsx';
import { notify } from '../toast/index.ts';
import type { Undoable } from '../undo-bar/index.tsx';
import { Approvers, type ReviewedParent } from './approvers.tsx';
import { batchRowKey, useBatchUndo } from './batch-undo.tsx';
import type { RowSelection, VersionedRow } from './commands.ts';
import type { RowVerb, VerbWords } from './verbs.ts';

export interface ReviewOptions<Row extends VersionedRow, Result extends RowOutcome> {
  labelOf: (row: Row) => string;
  /** Loads the names of rows of which only the ids are known, for example after "Select all … matching rows". */
  labelsOf: (results: readonly Result[]) => Promise<ReadonlyMap<number, string>>;
  /** The text that replaces a name that cannot be loaded: "Mapping 7". */
  fallbackLabelOf: (id: number) => string;
  /** Formats a number of rows: "3 mappings". */
  countText: (count: number) => string;
  words: Record<RowVerb, VerbWords>;
  send: (
    verb: RowVerb,
    chosen: RowSelection<Row>,
    comment?: string,
  ) => Promise<{ results: Result[]; commandIds: readonly string[]; jobs: readonly DecidedAsJob[] }>;
  /** Converts a row of a batch to the result type of the list. */
  resultOf: (row: { id: number; parentId: number }) => Pick<Result, 'id'>;
  reload: () => Promise<unknown>;
  /** Whether the list has a tab for each status, so that submitted rows leave their tab. */
  hasTabs: boolean;
  /** The page that shows a submitted or decided row. */
  linkOf?: (row: Row) => string;
  /**
   * Whether the row has an approved version. An approver must then approve a deletion of the row. `row` is undefined if
   * the page has not loaded the row.
   */
  isServed: (row: Row | undefined) => boolean;
  onUndoable: (action: Undoable) => void;
  /** The crosswalk or relationship of all rows; undefined if the list has rows of several definitions. */
  parent?: ReviewedParent | undefined;
  /** The warning of the confirmation dialog. */
  warningOf?: (verb: RowVerb, rows: readonly Row[]) => string | undefined;
}

interface PendingReview<Row extends VersionedRow> {
  verb: RowVerb;
  chosen: RowSelection<Row>;
  count: number;
  rows: readonly Row[];
  warning?: string | undefined;
  onDone: () => void;
}

/** Identifies a row at one revision. */
export const rowVersion = ({ id, revision }: VersionedRow): string => `${id} ${revision}`;

export interface Review<Row> {
  /**
   * Versions of rows that the list hides, because a command for one row only runs or is done. A refused or failed
   * command shows its row again.
   */
  hiddenRows: ReadonlySet<string>;
  /** Opens the dialog that requests a comment or a reason. */
  openDialog: (verb: RowVerb, selection: Pick<Selection<Row>, 'rows' | 'selectionId' | 'count' | 'clear'>) => void;
  /** Applies the verb to one row immediately. */
  applyToRow: (verb: RowVerb, row: Row) => Promise<void>;
  dialogs: ReactNode;
}

const LABELLED_MAX = 500;
/** Verbs after which the row is listed on the approvals dashboard. */
const DASHBOARD_VERBS: ReadonlySet<RowVerb> = new Set(['submit', 'approve', 'reject', 'recall']);

/** Names the completed action: "Deletion requested" if all deletions await an approver. */
function doneText<Row extends VersionedRow, Result extends RowOutcome>(
  { words, isServed }: ReviewOptions<Row, Result>,
  verb: RowVerb,
  done: readonly Result[],
  rows: readonly Row[],
): string {
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  const isRequested = verb === 'delete' && done.length > 0 && done.every(({ id }) => isServed(rowsById.get(id)));
  return isRequested ? 'Deletion requested' : words[verb].done;
}

export function useReview<Row extends VersionedRow, Result extends RowOutcome>(
  options: ReviewOptions<Row, Result>,
): Review<Row> {
  const { words, reload } = options;
  const [pending, setPending] = useState<PendingReview<Row>>();
  const [busy, setBusy] = useState(false);
  const [hiddenRows, setHiddenRows] = useState<ReadonlySet<string>>(new Set());
  const [jobs, setJobs] = useState<readonly { verb: RowVerb; job: DecidedAsJob }[]>([]);
  const [outcomes, setOutcomes] = useState<{ title: string; outcomes: Outcome[] }>();

  const undo = useBatchUndo({
    labelsOf: async (batch) => {
      // A submission can contain the crosswalk or relationship itself; its id is not a row id, so `options.labelsOf`
      // cannot name it.
      const rowsOfParent = batch.filter(({ kind }) => !isDefinitionKind(kind));
      const labels = await options.labelsOf(rowsOfParent.map((row) => options.resultOf(row) as Result));
      return new Map(
        batch.map((row) => [
          batchRowKey(row),
          isDefinitionKind(row.kind)
            ? `The ${row.kind} itself`
            : (labels.get(row.id) ?? options.fallbackLabelOf(row.id)),
        ]),
      );
    },
    reload,
  });

  async function showOutcomes(title: string, results: readonly Result[], rows: readonly Row[], approving = false) {
    const knownLabels = new Map(rows.map((row) => [row.id, options.labelOf(row)]));
    const rowsWithoutLabel = results
      .filter(({ id, outcome }) => outcome === 'refused' && !knownLabels.has(id))
      .slice(0, LABELLED_MAX);
    const loadedLabels =
      rowsWithoutLabel.length === 0 ? new Map<number, string>() : await options.labelsOf(rowsWithoutLabel);
    setOutcomes({
      title,
      outcomes: results.map((row) => ({
        id: row.id,
        outcome: row.outcome,
        message: rowMessage(row, { approving }),
        changed: lastChangeOf(row),
        label: (
          <span className="font-mono">
            {knownLabels.get(row.id) ?? loadedLabels.get(row.id) ?? options.fallbackLabelOf(row.id)}
          </span>
        ),
      })),
    });
  }

  /** Offers to undo the commands. If submitted rows leave the tab, the text links to the tab that lists them now. */
  function offerUndo(verb: RowVerb, done: string, count: number, commandIds: readonly string[]) {
    if (count === 0) return;
    const text = `${done}: ${options.countText(count)}.`;
    const linked = (
      <>
        {text}{' '}
        <Link className="font-medium underline" to="?tab=pending">
          Go to Pending
        </Link>
      </>
    );
    options.onUndoable(undo.undoable(verb === 'submit' && options.hasTabs ? linked : text, commandIds));
  }

  /** Reports the result of a job that decided rows, and offers to undo its decisions. */
  function handleJobEnd(verb: RowVerb, { jobId, commandId }: DecidedAsJob, ended: JobView): void {
    setJobs((current) => current.filter(({ job }) => job.jobId !== jobId));
    reportJobEnd(ended, words[verb].done);
    offerUndo(verb, words[verb].done, ended.counts.changed, [commandId]);
    void reload();
  }

  async function run(review: PendingReview<Row>, comment?: string): Promise<void> {
    const { verb, chosen, count, rows, onDone } = review;
    const onlyRow = count === 1 ? rows[0] : undefined;
    const showRowAgain = () =>
      onlyRow !== undefined &&
      setHiddenRows((current) => new Set([...current].filter((row) => row !== rowVersion(onlyRow))));
    if (onlyRow !== undefined) setHiddenRows((current) => new Set([...current, rowVersion(onlyRow)]));
    setBusy(true);
    try {
      const { results, commandIds, jobs: startedJobs } = await options.send(verb, chosen, comment);
      // Closes only the dialog of this command, because the user may have opened another dialog in the meantime. After an
      // error the dialog stays open with its comment.
      setPending((current) => (current === review ? undefined : current));
      onDone();
      setJobs((current) => [...current, ...startedJobs.map((job) => ({ verb, job }))]);
      if (results.length === 0 && startedJobs.length > 0) return;
      const done = results.filter(({ outcome }) => outcome === 'done');
      const doneWord = doneText(options, verb, done, rows);
      offerUndo(verb, doneWord, done.length, commandIds);
      const refused = results.find(({ outcome }) => outcome === 'refused');
      if (refused !== undefined) showRowAgain();
      if (count > 1 || refused !== undefined) {
        await showOutcomes(doneWord, results, rows, VERB_LEVEL[verb] === 'APPROVER');
      } else {
        const href = onlyRow !== undefined && DASHBOARD_VERBS.has(verb) ? options.linkOf?.(onlyRow) : undefined;
        const description = rows.map(options.labelOf).join(', ');
        notify.success(doneWord, {
          description,
          ...(href === undefined ? {} : { href }),
        });
      }
    } catch (error) {
      showRowAgain();
      notify.error(messageOf(error), { title: failedTitle(words[verb].action, error) });
    } finally {
      setBusy(false);
      await reload();
    }
  }

  /** Names a single row by its label, and several rows by their number. */
  const nameOf = ({ count, rows: [row] }: PendingReview<Row>): string =>
    count === 1 && row !== undefined ? options.labelOf(row) : options.countText(count);

  return {
    hiddenRows,
    openDialog: (verb, { rows, selectionId, count, clear }) =>
      setPending({
        verb,
        chosen: selectionId === undefined ? { rows } : { selectionId },
        count,
        rows,
        warning: options.warningOf?.(verb, rows),
        onDone: clear,
      }),
    applyToRow: (verb, row) => run({ verb, chosen: { rows: [row] }, count: 1, rows: [row], onDone: () => undefined }),
    dialogs: (
      <>
        {pending !== undefined && (
          <CommentDialog
            title={`${words[pending.verb].action} ${nameOf(pending)}?`}
            description={words[pending.verb].consequence}
            warning={pending.warning}
            details={pending.verb === 'submit' && options.parent && <Approvers of={options.parent} />}
            confirm={words[pending.verb].action}
            reasonRequired={words[pending.verb].reasonRequired ?? false}
            destructive={words[pending.verb].destructive ?? false}
            busy={busy}
            onConfirm={(comment) => void run(pending, comment)}
            onCancel={() => setPending(undefined)}
          />
        )}
        {jobs.map(({ verb, job }) => (
          <BulkJobProgress
            key={job.jobId}
            job={job}
            target={options.countText(job.total)}
            onEnd={(ended) => handleJobEnd(verb, job, ended)}
          />
        ))}
        {undo.dialogs}
        {outcomes !== undefined && <OutcomesDialog {...outcomes} onClose={() => setOutcomes(undefined)} />}
      </>
    ),
  };
}
