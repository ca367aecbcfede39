/** Submits, recalls, decides and deletes a crosswalk itself: its dialogs, and what may be done by whom. */
import { REVIEW_REFUSALS, type Reviewable, refusal } from '@rdm/contracts/approval';
import type { CrosswalkView } from '@rdm/contracts/crosswalks';
import { hasLevel } from '@rdm/contracts/permissions';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { CommentDialog } from '../../../components/comment-dialog/index.tsx';
import { batchRowKey, useBatchUndo } from '../../../components/review/batch-undo.tsx';
import { useItemLink } from '../../../components/review/use-item-link.ts';
import { notify } from '../../../components/toast/index.ts';
import type { Undoable } from '../../../components/undo-bar/index.tsx';
import { failedTitle, messageOf } from '../../../lib/messages/index.ts';
import { type HeaderVerb, reloadCrosswalk, reviewHeader } from '../api/crosswalks.ts';

const reviewable = (crosswalk: CrosswalkView): Reviewable<null> => ({
  revision: crosswalk.revision,
  approvalStatus: crosswalk.approvalStatus,
  value: null,
  // Only whether there is an approved definition matters here.
  served: (crosswalk.isServed ? {} : null) as null,
  deletionRequested: crosswalk.deletionRequested,
  deleted: false,
  submittedBy: crosswalk.submittedBy,
  authors: crosswalk.authors,
});

/** Why a person may not do this to the crosswalk; undefined when they may. */
export function headerRefusal(verb: HeaderVerb, crosswalk: CrosswalkView, userId: number): string | undefined {
  const code = refusal(verb, reviewable(crosswalk), { userId, level: crosswalk.level });
  if (code !== null) return REVIEW_REFUSALS[code];
  if (verb === 'delete' && !hasLevel(crosswalk.level, 'ADMIN')) return REVIEW_REFUSALS.LEVEL;
  return undefined;
}

/** The verbs of the review that make sense for the status, in the order of their use. */
export function headerVerbs({ approvalStatus, isServed }: CrosswalkView): HeaderVerb[] {
  if (approvalStatus === 'PENDING') return ['approve', 'reject', 'recall'];
  const submit = approvalStatus === 'DRAFT' ? (['submit'] as const) : [];
  if (!isServed) return [...submit, 'delete'];
  // A draft beside what serves is discarded before anything is deleted.
  return approvalStatus === 'APPROVED' ? ['revoke', 'delete'] : [...submit, 'discard', 'revoke'];
}

interface Words {
  action: string;
  title: string;
  description: (crosswalk: CrosswalkView) => string;
  done: string;
}

export const HEADER_WORDS: Record<HeaderVerb, Words> = {
  submit: {
    action: 'Submit crosswalk',
    title: 'Submit the crosswalk for approval?',
    description: () =>
      'Its data sets and attributes are reviewed. Approved values serve once the crosswalk is approved.',
    done: 'Crosswalk submitted',
  },
  recall: {
    action: 'Recall crosswalk',
    title: 'Recall the crosswalk?',
    description: ({ deletionRequested }) =>
      deletionRequested ? 'It stays approved as before.' : 'It becomes a draft again and leaves the approvals.',
    done: 'Crosswalk recalled',
  },
  approve: {
    action: 'Approve crosswalk',
    title: 'Approve the crosswalk?',
    description: ({ deletionRequested }) =>
      deletionRequested
        ? 'It is deleted and translates nothing any more.'
        : 'Its approved values are served from now on.',
    done: 'Crosswalk approved',
  },
  reject: {
    action: 'Reject crosswalk',
    title: 'Reject the crosswalk?',
    description: ({ deletionRequested }) =>
      deletionRequested ? 'It stays approved as before.' : 'Its values are not served until it is approved.',
    done: 'Crosswalk rejected',
  },
  revoke: {
    action: 'Revoke approval',
    title: 'Revoke the approval of the crosswalk?',
    description: () => 'It stops translating at once.',
    done: 'Approval revoked',
  },
  discard: {
    action: 'Discard draft',
    title: 'Discard the draft of the crosswalk?',
    description: () => 'The approved definition stands as before.',
    done: 'Draft discarded',
  },
  delete: {
    action: 'Delete crosswalk',
    title: 'Delete the crosswalk?',
    description: ({ counts, isServed }) =>
      counts.served > 0 || isServed
        ? 'Something of it was approved: an approver decides about the deletion.'
        : 'It is deleted at once with its drafts. This cannot be undone.',
    done: 'Deletion taken up',
  },
};

/** What takes something away from those who use it, or from whoever worked on it. */
export const DESTRUCTIVE: ReadonlySet<HeaderVerb> = new Set(['reject', 'revoke', 'discard', 'delete']);

export interface HeaderReview {
  ask: (verb: HeaderVerb, crosswalk: CrosswalkView) => void;
  dialog: ReactNode;
}

/** Whether it takes the crosswalk away: that stays. */
const deletes = (verb: HeaderVerb, { deletionRequested, counts, isServed }: CrosswalkView): boolean =>
  deletionRequested ? verb === 'approve' : verb === 'delete' && counts.served === 0 && !isServed;

export interface HeaderReviewOptions {
  onDeleted?: () => void;
  onUndoable: (undoable: Undoable) => void;
}

export function useHeaderReview({ onDeleted, onUndoable }: HeaderReviewOptions): HeaderReview {
  const queries = useQueryClient();
  const reviewed = useRef<CrosswalkView>(undefined);
  const undo = useBatchUndo({
    labelsOf: async (rows) => new Map(rows.map((row) => [batchRowKey(row), reviewed.current?.name ?? ''])),
    reload: async () => reviewed.current && reloadCrosswalk(queries, reviewed.current.id),
  });
  const itemLink = useItemLink();
  const [asked, setAsked] = useState<{ verb: HeaderVerb; crosswalk: CrosswalkView }>();
  const [busy, setBusy] = useState(false);

  async function run(comment: string | undefined) {
    if (asked === undefined) return;
    const { verb, crosswalk } = asked;
    setBusy(true);
    try {
      const { commandId } = await reviewHeader(crosswalk, verb, comment);
      notify.success(HEADER_WORDS[verb].done, {
        description: crosswalk.name,
        ...(verb === 'submit' && { href: itemLink({ kind: 'crosswalk', parentId: crosswalk.id, id: crosswalk.id }) }),
      });
      reviewed.current = crosswalk;
      if (deletes(verb, crosswalk)) onDeleted?.();
      else onUndoable(undo.undoable(`${HEADER_WORDS[verb].done}: ${crosswalk.name}.`, [commandId]));
    } catch (error) {
      notify.error(messageOf(error), { title: failedTitle(HEADER_WORDS[verb].action, error) });
    } finally {
      setBusy(false);
      setAsked(undefined);
      await reloadCrosswalk(queries, crosswalk.id);
    }
  }

  const words = asked === undefined ? undefined : HEADER_WORDS[asked.verb];
  return {
    ask: (verb, crosswalk) => setAsked({ verb, crosswalk }),
    dialog: (
      <>
        {asked !== undefined && words !== undefined && (
          <CommentDialog
            title={words.title}
            description={words.description(asked.crosswalk)}
            confirm={words.action}
            reasonRequired={asked.verb === 'reject' || asked.verb === 'revoke'}
            destructive={DESTRUCTIVE.has(asked.verb)}
            busy={busy}
            onConfirm={(comment) => void run(comment)}
            onCancel={() => setAsked(undefined)}
          />
        )}
        {undo.dialogs}
      </>
    ),
  };
}
