/** Review of a crosswalk's definition: its dialogs, and the verbs that the user may apply. */

import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { HEADER_LEVEL, type Reviewable } from '@rdm/contracts/review/approval';
import { useQueryClient } from '@tanstack/react-query';
import {
  type DefinitionReview,
  type DefinitionWords,
  useDefinitionReview,
} from '../../../../components/review/definition-review.tsx';
import { rowRefusal } from '../../../../components/review/verbs.ts';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { type HeaderVerb, reloadCrosswalk, reviewHeader } from '../../api/crosswalks.ts';

export const reviewable = (crosswalk: CrosswalkView): Reviewable<null> => ({
  revision: crosswalk.revision,
  approvalStatus: crosswalk.approvalStatus,
  value: null,
  // Only whether there is an approved definition matters here.
  served: (crosswalk.isServed ? {} : null) as null,
  deletionRequested: crosswalk.deletionRequested,
  deleted: crosswalk.deleted,
  submittedBy: crosswalk.submittedBy,
  authors: crosswalk.authors,
});

/** Why the user may not apply the verb to the crosswalk; undefined if they may. */
export function headerRefusal(verb: HeaderVerb, crosswalk: CrosswalkView, userId: number): string | undefined {
  return rowRefusal(verb, reviewable(crosswalk), { userId, level: crosswalk.level, needed: HEADER_LEVEL[verb] });
}

/** The verbs for the status, in the order of their use. */
export function headerVerbs({ approvalStatus, isServed, deleted }: CrosswalkView): HeaderVerb[] {
  if (deleted) return ['restore'];
  if (approvalStatus === 'PENDING') return ['approve', 'reject', 'recall'];
  const submit = approvalStatus === 'DRAFT' ? (['submit'] as const) : [];
  if (!isServed) return [...submit, 'delete'];
  // A draft beside an approved definition must be discarded before the crosswalk can be deleted.
  return approvalStatus === 'APPROVED' ? ['revoke', 'delete'] : [...submit, 'discard', 'revoke'];
}

export const HEADER_WORDS: Record<HeaderVerb, DefinitionWords<CrosswalkView>> = {
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
    reasonRequired: true,
    destructive: true,
  },
  revoke: {
    action: 'Revoke approval',
    title: 'Revoke the approval of the crosswalk?',
    description: () => 'Its mappings are no longer used, with immediate effect.',
    done: 'Approval revoked',
    reasonRequired: true,
    destructive: true,
  },
  discard: {
    action: 'Discard draft',
    title: 'Discard the draft of the crosswalk?',
    description: () => 'The approved definition stays in use.',
    done: 'Draft discarded',
    destructive: true,
  },
  delete: {
    action: 'Delete crosswalk',
    title: 'Delete the crosswalk?',
    description: ({ counts, isServed }) =>
      counts.served > 0 || isServed
        ? 'It has an approved definition or approved mappings: an approver must approve the deletion.'
        : 'It is deleted immediately with its drafts, and can be restored with them.',
    done: 'Crosswalk deleted',
    destructive: true,
  },
  restore: {
    action: 'Restore crosswalk',
    title: 'Restore the crosswalk?',
    description: () => 'It is restored as a draft with its values and reviewed again.',
    done: 'Crosswalk restored',
  },
};

/** Verbs that take something away from readers or authors ask for confirmation. */
export const isDestructive = (verb: HeaderVerb): boolean => HEADER_WORDS[verb].destructive === true;

export function useHeaderReview(onUndoable: (undoable: Undoable) => void): DefinitionReview<CrosswalkView, HeaderVerb> {
  const queries = useQueryClient();
  return useDefinitionReview<CrosswalkView, HeaderVerb>({
    kind: 'crosswalk',
    words: HEADER_WORDS,
    deletedText: 'Crosswalk deleted',
    send: reviewHeader,
    reload: (id) => reloadCrosswalk(queries, id),
    list: '/crosswalks',
    onUndoable,
  });
}
