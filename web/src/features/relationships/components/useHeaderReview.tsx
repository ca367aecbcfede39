/** Deletes a relationship, or decides about its deletion: the dialogs, and what may be done by whom. */
import { HEADER_LEVEL, REVIEW_REFUSALS, type Reviewable, type ReviewVerb, refusal } from '@rdm/contracts/approval';
import type { RelationshipView } from '@rdm/contracts/relationships';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { CommentDialog } from '../../../components/comment-dialog/index.tsx';
import { useItemLink } from '../../../components/review/use-item-link.ts';
import { notify } from '../../../components/toast/index.ts';
import { failedTitle, messageOf } from '../../../lib/messages/index.ts';
import { type HeaderVerb, reloadRelationship, reviewHeader } from '../api/relationships.ts';

const reviewable = (relationship: RelationshipView): Reviewable<null> => ({
  revision: relationship.revision,
  approvalStatus: relationship.approvalStatus,
  value: null,
  served: null,
  deletionRequested: relationship.deletionRequested,
  deleted: false,
  submittedBy: relationship.submittedBy,
  authors: relationship.authors,
});

/** Why a person may not do this to the relationship; undefined when they may. */
export function headerRefusal(verb: HeaderVerb, relationship: RelationshipView, userId: number): string | undefined {
  const by = { userId, level: relationship.level, needed: HEADER_LEVEL[verb satisfies ReviewVerb] };
  const code = refusal(verb, reviewable(relationship), by);
  return code === null ? undefined : REVIEW_REFUSALS[code];
}

/** What can be done now: a deletion is asked for, or decided once it was. */
export const headerVerbs = ({ deletionRequested }: RelationshipView): readonly HeaderVerb[] =>
  deletionRequested ? ['approve', 'reject', 'recall'] : ['delete'];

interface Words {
  action: string;
  title: string;
  description: (relationship: RelationshipView) => string;
  done: string;
}

export const HEADER_WORDS: Record<HeaderVerb, Words> = {
  delete: {
    action: 'Delete relationship',
    title: 'Delete the relationship?',
    description: ({ counts }) =>
      counts.served > 0
        ? 'Values of it were approved: an approver decides about the deletion.'
        : 'Unless something of it was approved, it goes at once with its drafts. This cannot be undone.',
    done: 'Relationship deleted',
  },
  approve: {
    action: 'Approve deletion',
    title: 'Approve the deletion?',
    description: () => 'The relationship is deleted with all its values.',
    done: 'Relationship deleted',
  },
  reject: {
    action: 'Reject deletion',
    title: 'Reject the deletion?',
    description: () => 'The relationship and its values stay as they are.',
    done: 'Deletion rejected',
  },
  recall: {
    action: 'Recall deletion',
    title: 'Recall the deletion?',
    description: () => 'The relationship and its values stay as they are.',
    done: 'Deletion recalled',
  },
};

export interface HeaderReview {
  ask: (verb: HeaderVerb, relationship: RelationshipView) => void;
  dialog: ReactNode;
}

export function useHeaderReview(onDone?: (verb: HeaderVerb) => void): HeaderReview {
  const queries = useQueryClient();
  const [asked, setAsked] = useState<{ verb: HeaderVerb; relationship: RelationshipView }>();
  const [busy, setBusy] = useState(false);
  const itemLink = useItemLink();

  async function run(comment: string | undefined) {
    if (asked === undefined) return;
    const { verb, relationship } = asked;
    setBusy(true);
    try {
      const { deletionRequested } = await reviewHeader(relationship, verb, comment);
      notify.success(deletionRequested ? 'Deletion requested' : HEADER_WORDS[verb].done, {
        description: relationship.name,
        ...(deletionRequested && {
          href: itemLink({ kind: 'relationship', parentId: relationship.id, id: relationship.id }),
        }),
      });
      onDone?.(verb);
    } catch (error) {
      notify.error(messageOf(error), { title: failedTitle(HEADER_WORDS[verb].action, error) });
    } finally {
      setBusy(false);
      setAsked(undefined);
      await reloadRelationship(queries, relationship.id);
    }
  }

  const words = asked === undefined ? undefined : HEADER_WORDS[asked.verb];
  return {
    ask: (verb, relationship) => setAsked({ verb, relationship }),
    dialog: asked !== undefined && words !== undefined && (
      <CommentDialog
        title={words.title}
        description={words.description(asked.relationship)}
        confirm={words.action}
        reasonRequired={asked.verb === 'reject'}
        destructive={asked.verb !== 'recall'}
        busy={busy}
        onConfirm={(comment) => void run(comment)}
        onCancel={() => setAsked(undefined)}
      />
    ),
  };
}
