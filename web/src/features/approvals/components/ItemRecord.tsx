/** The third pane: one item with its changes, its impact, its history, and the decision. */

import { actorText } from '@rdm/contracts/access/acting-key';
import type { ApprovalView } from '@rdm/contracts/approvals/approvals';
import { batchRoom } from '@rdm/contracts/live/live';
import type { VersionView } from '@rdm/contracts/review/approval';
import { useQuery } from '@tanstack/react-query';
import { Eye, Lock, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import type { Selection } from '../../../components/data-grid/index.ts';
import { Diff, valueText } from '../../../components/diff/index.tsx';
import { RelativeTime, Timeline } from '../../../components/timeline/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Field, Textarea } from '../../../components/ui/input.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { versionTitle } from '../../../components/version-history/index.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { usePeople } from '../../../lib/auth/people.ts';
import { usePresence } from '../../../lib/live/index.tsx';
import { ignoreRepeats } from '../../../lib/pointer/index.ts';
import {
  type Decision,
  historyQuery,
  isDefinitionItem,
  itemKey,
  parentOf,
  parentQuery,
  rowQuery,
} from '../api/approvals.ts';
import { Status } from './columns.tsx';
import { Downstream } from './Downstream.tsx';
import {
  changesOf,
  changeTitle,
  correctionPageOf,
  countText,
  isRecalled,
  itemRefusal,
  KIND_WORDS,
  needsCorrection,
  pageOf,
} from './items.ts';

export interface ItemRecordProps {
  item: ApprovalView;
  /** Whether the tab of reviews shows this item although it was decided or recalled in the meantime. */
  isGone: boolean;
  busy: boolean;
  /** The comments that the user has typed, by item. */
  comments: Map<string, string>;
  /**
   * The selected items of the list. While items are selected, the record has no buttons to decide: the buttons above
   * the list decide on the selected items.
   */
  selection: Selection<ApprovalView>;
  onDecide: (decision: Decision) => void;
  onRecall: () => void;
  /** Displays an item that waits for a decision; undefined if there is none. */
  onNext: (() => void) | undefined;
  /** Closes the record; set if the record covers the list. */
  onClose?: (() => void) | undefined;
}

export function ItemRecord({ item, isGone, selection, onNext, onClose, ...decision }: ItemRecordProps) {
  const user = useCurrentUser();
  const otherUsers = (ids: readonly number[]) => ids.filter((id) => id !== user.id);
  const batchViewers = otherUsers(usePresence(batchRoom(parentOf(item), item.parentId, item.batchId)));
  const parentViewers = otherUsers(usePresence(`${parentOf(item)}:${item.parentId}`));
  const viewers = batchViewers.length > 0 ? batchViewers : parentViewers;
  const nameOf = usePeople([item.submittedBy, item.decidedBy, item.undoneBy, ...viewers]);
  const pending = item.status === 'PENDING' && !isGone;

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
        <header className="flex flex-col gap-1">
          <h2 className="flex flex-wrap items-center gap-2 font-semibold text-lg">
            <span className={isDefinitionItem(item) ? '' : 'font-mono'}>{item.title}</span>
            {(!isGone || item.status !== 'PENDING') && <Status item={item} />}
            {item.deletionRequested && <Badge>Deletion requested</Badge>}
            {onClose !== undefined && (
              <Button variant="ghost" size="icon-sm" className="ml-auto" aria-label="Close" onClick={onClose}>
                <X />
              </Button>
            )}
          </h2>
          {!isDefinitionItem(item) && <Labels item={item} />}
          <p className="text-muted text-sm">
            {KIND_WORDS[item.kind]}
            {!isDefinitionItem(item) && ' in'}{' '}
            <Link to={pageOf(item)} className="text-accent underline-offset-2 hover:underline">
              {item.parentName}
            </Link>
            {item.parentGone && ', which was deleted'}
          </p>
          <p className="text-muted text-sm">
            Submitted by {nameOf(item.submittedBy)} <RelativeTime at={item.submittedAt} />
          </p>
          {viewers.length > 0 && (
            <p role="status" className="flex items-center gap-1.5 text-muted text-xs">
              <Eye aria-hidden="true" className="size-3.5" />
              {viewers.map(nameOf).join(', ')} {viewers.length === 1 ? 'is' : 'are'} viewing this{' '}
              {batchViewers.length > 0 ? 'batch' : parentOf(item)} too
            </p>
          )}
        </header>

        {isGone && (
          <Alert tone="info" title="No longer pending">
            {item.status === 'PENDING'
              ? 'This item was recalled or decided in the meantime. The tab Decided lists all decided items.'
              : item.decidedBy === user.id
                ? 'You decided on this item, as shown below.'
                : 'This item was decided in the meantime, as shown below.'}
            {onNext !== undefined && (
              <Button size="sm" className="mt-2 flex" onClick={onNext}>
                Show the next item
              </Button>
            )}
          </Alert>
        )}
        {pending && <EarlierRejection item={item} />}
        {item.comment !== null && item.comment !== '' && (
          <blockquote className="border-hairline border-l-2 pl-3 text-sm">{item.comment}</blockquote>
        )}
        {item.decidedBy !== null && item.decidedAt !== null && !isRecalled(item) && (
          <p className="text-sm">
            {item.status === 'APPROVED' ? 'Approved' : 'Rejected'} by {nameOf(item.decidedBy)}{' '}
            <RelativeTime at={item.decidedAt} />
            {item.decisionComment !== null && item.decisionComment !== '' && (
              <span className="mt-1 block border-hairline border-l-2 pl-3">{item.decisionComment}</span>
            )}
          </p>
        )}
        {needsCorrection(item, user.id) && (
          <Button asChild className="self-start">
            <Link to={correctionPageOf(item)}>Correct it and submit it again</Link>
          </Button>
        )}
        {item.undoneAt !== null && (
          <p className="text-sm">
            Undone by {nameOf(item.undoneBy)} <RelativeTime at={item.undoneAt} />: the item became pending again.
          </p>
        )}

        <section aria-label="Changes" className="flex flex-col gap-2">
          <h3 className="font-medium text-sm">{changeTitle(item)}</h3>
          <Changes item={item} />
        </section>
        {pending && <Downstream item={item} />}

        <History item={item} />
      </div>

      {pending &&
        (selection.count > 0 ? (
          <SelectionNote {...selection} />
        ) : (
          <DecisionBar key={item.revision} item={item} {...decision} />
        ))}
    </div>
  );
}

/** The labels of the source and the target, because reviewers cannot decide by codes alone. */
function Labels({ item }: { item: ApprovalView }) {
  const { data } = useQuery(rowQuery(item));
  const labels = [data?.sourceLabel, data?.targetLabel];
  if (labels.every((label) => label === null || label === undefined)) return null;
  return <p className="text-sm">{labels.map((label) => label ?? '—').join(' → ')}</p>;
}

/** Shows the new values of a new item, the old values of a deletion, and both for other changes. */
function Changes({ item }: { item: ApprovalView }) {
  const parent = useQuery(parentQuery(item));
  const changes = changesOf(item, parent.data);
  const isDeletion = item.deletionRequested || item.after === null;
  if (item.before !== null && !isDeletion) return <Diff fields={changes} />;
  return (
    <dl className="divide-y divide-hairline border-hairline border-y text-sm">
      {changes.map(({ label, before, after }) => (
        <div key={label} className="grid grid-cols-[minmax(6rem,10rem)_1fr] gap-3 py-1.5">
          <dt className="truncate text-muted">{label}</dt>
          <dd className={cn('min-w-0 break-words font-mono', isDeletion ? 'text-danger-text' : 'text-added')}>
            <span aria-hidden="true">{isDeletion ? '− ' : '+ '}</span>
            {valueText(isDeletion ? before : after)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/**
 * Shows the reason for the last rejection, unless an approval followed. If the rejection was undone, also shows who
 * undid the rejection.
 */
function EarlierRejection({ item }: { item: ApprovalView }) {
  const { data = [] } = useQuery(historyQuery(item));
  const rejected = data.find(({ newStatus }) => newStatus === 'REJECTED');
  const approvedSince = data.some(({ newStatus, seq }) => newStatus === 'APPROVED' && seq > (rejected?.seq ?? 0));
  const undoneRejection = data.find(
    ({ type, prevStatus, seq }) => type.endsWith('Undone') && prevStatus === 'REJECTED' && seq > (rejected?.seq ?? 0),
  );
  const nameOf = usePeople([undoneRejection?.userId]);
  if (rejected === undefined || approvedSince) return null;
  return (
    <Alert tone="info" title="This item was rejected before">
      {rejected.comment}
      {undoneRejection !== undefined && (
        <span className="mt-1 block">
          {actorText(nameOf(undoneRejection.userId), undoneRejection)} undid the rejection{' '}
          <RelativeTime at={undoneRejection.timestamp} />.
        </span>
      )}
    </Alert>
  );
}

function History({ item }: { item: ApprovalView }) {
  const history = useQuery(historyQuery(item));
  const nameOf = usePeople(history.data?.map(({ userId }) => userId) ?? []);
  return (
    <section aria-label="History" className="flex flex-col gap-2">
      <h3 className="font-medium text-sm">History</h3>
      {history.isPending ? (
        <Skeleton className="w-1/2" />
      ) : (
        <Timeline
          entries={(history.data ?? []).map((entry) => ({
            id: entry.seq,
            at: entry.timestamp,
            actor: actorText(nameOf(entry.userId), entry),
            title: titleOf(entry),
            status: entry.newStatus,
            version: entry.revision,
            comment: entry.comment ?? null,
          }))}
        />
      )}
    </section>
  );
}

/** The title of a version: a `MappingsEdited` event with the target CUW becomes “Edited: CUW”. */
function titleOf(version: VersionView): string {
  const versionText = versionTitle(version);
  const target = version.changes?.['targetValue'] ?? version.changes?.['target'];
  return target === undefined ? versionText : `${versionText}: ${valueText(target.to)}`;
}

/** Replaces the decision buttons while items of the list are selected. */
function SelectionNote({ count, clear }: Pick<Selection<ApprovalView>, 'count' | 'clear'>) {
  return (
    <section aria-label="Decision" className="flex flex-col items-start gap-2 border-hairline border-t bg-canvas p-3">
      <p className="text-sm">
        {countText(count, 'item')} {count === 1 ? 'is' : 'are'} selected. The buttons above the list decide on{' '}
        {count === 1 ? 'it' : 'all of them'}.
      </p>
      <Button onClick={clear}>Decide only on this item</Button>
    </section>
  );
}

function DecisionBar({
  item,
  busy,
  comments,
  onDecide,
  onRecall,
}: Pick<ItemRecordProps, 'item' | 'busy' | 'comments' | 'onDecide' | 'onRecall'>) {
  const user = useCurrentUser();
  const key = itemKey(item);
  const [comment, setComment] = useState(comments.get(key) ?? '');
  const [showsProblems, setShowsProblems] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const text = comment.trim();
  const forbidden = itemRefusal('approve', item, user.id);
  const mayRecall = itemRefusal('recall', item, user.id) === undefined;

  return (
    <section aria-label="Decision" className="flex flex-col gap-2 border-hairline border-t bg-canvas p-3">
      {forbidden === undefined ? (
        <Field
          label="Comment"
          hint="Optional when you approve, required when you reject."
          error={showsProblems && text === '' ? 'A reason is required' : undefined}
        >
          {(control) => (
            <Textarea
              {...control}
              ref={field}
              className="min-h-9"
              rows={1}
              maxLength={4_000}
              value={comment}
              onChange={(event) => {
                setComment(event.target.value);
                comments.set(key, event.target.value);
              }}
            />
          )}
        </Field>
      ) : (
        <p className="flex items-start gap-2 text-sm">
          <Lock aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
          {forbidden}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          disabled={busy || forbidden !== undefined}
          title={forbidden}
          onClick={ignoreRepeats('approve', () => onDecide('approve'))}
        >
          Approve
          <kbd className="touch:hidden font-mono text-xs opacity-80">A</kbd>
        </Button>
        <Button
          disabled={busy || forbidden !== undefined}
          title={forbidden}
          onClick={ignoreRepeats('reject', () => {
            setShowsProblems(true);
            if (text === '') field.current?.focus();
            else onDecide('reject');
          })}
        >
          Reject
          <kbd className="touch:hidden font-mono text-muted text-xs">R</kbd>
        </Button>
        {mayRecall && (
          <Button variant="ghost" className="ml-auto" disabled={busy} onClick={onRecall}>
            Recall
          </Button>
        )}
      </div>
    </section>
  );
}
