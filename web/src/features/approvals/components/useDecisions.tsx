/** Decides one or many items with a comment or reason, reports the results, recalls items and undoes decisions. */
import type { ApprovalView } from '@rdm/contracts/approvals/approvals';
import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import type { JobView } from '@rdm/contracts/jobs/jobs';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { BulkJobProgress, reportJobEnd } from '../../../components/bulk-job/index.tsx';
import { CommentDialog } from '../../../components/comment-dialog/index.tsx';
import type { Selection } from '../../../components/data-grid/index.ts';
import { batchRowKey, useBatchUndo } from '../../../components/review/batch-undo.tsx';
import { lastChangeOf, type Outcome, OutcomesDialog } from '../../../components/row-outcomes/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { type Undoable, UndoBar } from '../../../components/undo-bar/index.tsx';
import { failedTitle, messageOf, rowMessage } from '../../../lib/messages/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import {
  approvalsKey,
  type DecidedItem,
  type Decision,
  type DecisionSelection,
  decide,
  itemKey,
  linkOf,
  recall,
} from '../api/approvals.ts';
import { BulkImpact } from './BulkImpact.tsx';
import { consequenceOf, KIND_WORDS } from './items.ts';

interface PendingDecision {
  decision: Decision;
  chosen: DecisionSelection;
  count: number;
  items: readonly ApprovalView[];
  onDone: () => void;
}

/** Names a single item by its title, and several items by their number. */
const nameOf = ({ count, items: [item] }: PendingDecision): string =>
  count === 1 && item !== undefined ? item.title : itemsText(count);

export interface Decisions {
  busy: boolean;
  /** Keys of items that were decided singly: hidden at once, shown again if the decision fails or is refused. */
  hiddenItems: ReadonlySet<string>;
  /** Opens the dialog that shows the number of affected items and requests a comment or the reason. */
  openDialog: (decision: Decision, selection: Selection<ApprovalView>) => void;
  /** Opens the dialog that requests a comment to approve one item, or the reason to reject it. */
  openItemDialog: (decision: Decision, item: ApprovalView) => void;
  /** Decides one item without a dialog, with the comment that the user typed for this item. */
  decideOne: (decision: Decision, item: ApprovalView) => Promise<void>;
  recall: (item: ApprovalView) => Promise<void>;
  /** Undoes, after a confirmation, the command that decided the item. */
  undo: (item: ApprovalView) => void;
  dialogs: ReactNode;
  /** Shows the progress of jobs that decide items, and offers to undo the last decision. */
  undoBar: ReactNode;
}

const itemsText = (count: number) => `${formatNumber(count)} ${count === 1 ? 'item' : 'items'}`;
const DECISION_WORDS = {
  approve: {
    action: 'Approve',
    done: 'Approved',
  },
  reject: {
    action: 'Reject',
    done: 'Rejected',
  },
} as const;

/** Returns the results with the titles of the items. Kind and id replace the title of an item that is not loaded. */
function outcomesOf(results: readonly DecidedItem[], items: readonly ApprovalView[]): Outcome[] {
  const key = ({ kind, parentId, id }: { kind: string; parentId: number; id: number }) => `${kind} ${parentId} ${id}`;
  const titles = new Map(items.map((item) => [key(item), item.title]));
  return results.map((result) => ({
    id: key(result),
    label: <span className="font-mono">{titles.get(key(result)) ?? `${KIND_WORDS[result.kind]} ${result.id}`}</span>,
    outcome: result.outcome,
    message: rowMessage(result, { approving: true }),
    changed: lastChangeOf(result),
  }));
}

/**
 * `listedItems` provide the titles for results. `comments` are the typed comments by `itemKey`. `onDecide` is called
 * before the list hides a single decided item.
 */
export function useDecisions(
  listedItems: readonly ApprovalView[],
  comments: ReadonlyMap<string, string>,
  onDecide: (item: ApprovalView) => void,
): Decisions {
  const queries = useQueryClient();
  const [pending, setPending] = useState<PendingDecision>();
  const [busy, setBusy] = useState(false);
  const [hiddenItems, setHiddenItems] = useState<ReadonlySet<string>>(new Set());
  const [outcomes, setOutcomes] = useState<{ title: string; outcomes: Outcome[] }>();
  const [jobs, setJobs] = useState<readonly { decision: Decision; job: DecidedAsJob }[]>([]);
  const [undoable, setUndoable] = useState<Undoable>();
  /** The items whose decision can be undone. They provide titles, because the list no longer contains them. */
  const [decidedItems, setDecidedItems] = useState<readonly ApprovalView[]>([]);
  const reload = () => queries.invalidateQueries({ queryKey: approvalsKey });
  const commentOf = (item: ApprovalView) => comments.get(itemKey(item)) ?? '';
  const undo = useBatchUndo({
    labelsOf: async () => new Map([...listedItems, ...decidedItems].map((item) => [batchRowKey(item), item.title])),
    reload,
  });

  /** Reports the end of a job that decided items. The decisions of the job can be undone like a batch. */
  function reportEndedJob(decision: Decision, { jobId, commandId }: DecidedAsJob, ended: JobView): void {
    setJobs((current) => current.filter(({ job }) => job.jobId !== jobId));
    const words = DECISION_WORDS[decision];
    reportJobEnd(ended, words.done);
    const { changed } = ended.counts;
    setDecidedItems([]);
    if (changed > 0) setUndoable(undo.undoable(`${words.done}: ${itemsText(changed)}.`, [commandId]));
    void reload();
  }

  async function run(doing: PendingDecision, comment?: string): Promise<void> {
    const { decision, chosen, count, items, onDone } = doing;
    const words = DECISION_WORDS[decision];
    const single = count === 1 ? items[0] : undefined;
    if (single !== undefined) {
      onDecide(single);
      setHiddenItems((current) => new Set([...current, itemKey(single)]));
    }
    const showItemAgain = () =>
      single !== undefined &&
      setHiddenItems((current) => new Set([...current].filter((key) => key !== itemKey(single))));
    setBusy(true);
    try {
      const response = await decide(decision, chosen, comment);
      // A dialog that was opened in the meantime stays open. After an error, this dialog stays open with its comment.
      setPending((current) => (current === doing ? undefined : current));
      onDone();
      if ('jobId' in response) {
        setJobs((current) => [...current, { decision, job: response }]);
        return;
      }
      const { results, commandId } = response;
      const doneCount = results.filter(({ outcome }) => outcome === 'done').length;
      setDecidedItems(items);
      if (doneCount > 0) setUndoable(undo.undoable(`${words.done}: ${itemsText(doneCount)}.`, [commandId]));
      const refused = results.some(({ outcome }) => outcome === 'refused');
      if (refused) showItemAgain();
      if (count > 1 || refused)
        setOutcomes({ title: words.done, outcomes: outcomesOf(results, [...listedItems, ...items]) });
      else {
        const href = single === undefined ? {} : { href: linkOf('decided', single) };
        notify.success(words.done, { description: items.map(({ title }) => title).join(', '), ...href });
      }
    } catch (error) {
      showItemAgain();
      notify.error(messageOf(error), { title: failedTitle(words.action, error) });
    } finally {
      setBusy(false);
      await reload();
    }
  }

  const singleDecision = (decision: Decision, item: ApprovalView): PendingDecision => ({
    decision,
    chosen: { items: [item] },
    count: 1,
    items: [item],
    onDone: () => undefined,
  });

  return {
    busy,
    hiddenItems,
    openDialog: (decision, { rows, selectionId, count, clear }) =>
      setPending({
        decision,
        chosen: selectionId === undefined ? { items: rows } : { selectionId },
        count,
        items: rows,
        onDone: clear,
      }),
    openItemDialog: (decision, item) => setPending(singleDecision(decision, item)),
    decideOne: (decision, item) => run(singleDecision(decision, item), commentOf(item).trim() || undefined),
    undo(item) {
      setDecidedItems([item]);
      if (item.decisionId !== null) void undo.confirmUndo(item.decisionId);
    },
    async recall(item) {
      setBusy(true);
      try {
        const response = await recall(item);
        const [result] = 'results' in response ? response.results : [];
        if (result?.outcome === 'refused') throw new Error(rowMessage(result) ?? 'Refused');
        notify.success('Recalled', { description: item.title, href: linkOf('submitted', item) });
      } catch (error) {
        notify.error(messageOf(error), { title: `${item.title} was not recalled` });
      } finally {
        setBusy(false);
        await reload();
      }
    },
    undoBar: (
      <>
        {jobs.map(({ decision, job }) => (
          <BulkJobProgress
            key={job.jobId}
            job={job}
            action="Deciding"
            target={itemsText(job.total)}
            onEnd={(ended) => reportEndedJob(decision, job, ended)}
          />
        ))}
        {undoable !== undefined && <UndoBar action={undoable} onClose={() => setUndoable(undefined)} />}
      </>
    ),
    dialogs: (
      <>
        {undo.dialogs}
        {pending !== undefined && (
          <CommentDialog
            title={`${DECISION_WORDS[pending.decision].action} ${nameOf(pending)}?`}
            description={consequenceOf(pending.decision, pending.count)}
            details={pending.decision === 'approve' && pending.count > 1 && <BulkImpact selection={pending.chosen} />}
            confirm={DECISION_WORDS[pending.decision].action}
            text={pending.count === 1 && pending.items[0] !== undefined ? commentOf(pending.items[0]) : ''}
            reasonRequired={pending.decision === 'reject'}
            destructive={pending.decision === 'reject'}
            busy={busy}
            onConfirm={(comment) => void run(pending, comment)}
            onCancel={() => setPending(undefined)}
          />
        )}
        {outcomes !== undefined && <OutcomesDialog {...outcomes} onClose={() => setOutcomes(undefined)} />}
      </>
    ),
  };
}
