/** The crosswalk as a kind of definition: the review verbs that the user may apply, and their labels. */

import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { DEFINITION_LEVEL } from '@rdm/contracts/review/approval';
import { ArrowLeftRight } from 'lucide-react';
import type { DefinitionKind, DefinitionWords } from '../../../../components/review/definition-kind.ts';
import { type RowVerb, rowRefusal } from '../../../../components/review/verbs.ts';
import { reloadCrosswalk, reloadCrosswalks } from '../../api/crosswalks.ts';
import { CROSSWALK_WORDS, crosswalksText } from '../mappings/review-words.ts';
import { CrosswalkHistory } from './CrosswalkHistory.tsx';

/** Why the user may not apply the verb to the crosswalk; undefined if the user may apply it. */
export function definitionRefusal(verb: RowVerb, crosswalk: CrosswalkView, userId: number): string | undefined {
  // The rules check only whether an approved definition exists, not its content.
  const reviewable = { ...crosswalk, value: {}, served: crosswalk.isServed ? {} : null };
  return rowRefusal(verb, reviewable, { userId, level: crosswalk.level, needed: DEFINITION_LEVEL[verb] });
}

/** The verbs that the status allows, in the order in which the page displays them. */
export function definitionVerbs({ approvalStatus, isServed, deleted }: CrosswalkView): RowVerb[] {
  if (deleted) return ['restore'];
  if (approvalStatus === 'PENDING') return ['approve', 'reject', 'recall'];
  const submit = approvalStatus === 'DRAFT' ? (['submit'] as const) : [];
  if (!isServed) return [...submit, 'delete'];
  // A draft beside an approved definition must be discarded before the crosswalk can be deleted.
  return approvalStatus === 'APPROVED' ? ['revoke', 'delete'] : [...submit, 'discard', 'revoke'];
}

export const DEFINITION_VERB_WORDS: Record<RowVerb, DefinitionWords<CrosswalkView>> = {
  submit: {
    action: 'Submit crosswalk',
    title: 'Submit the crosswalk for approval?',
    description: () =>
      'Its data sets and attributes are reviewed. Its mappings are submitted separately; approved mappings are used once the crosswalk is approved.',
    done: 'Crosswalk submitted',
  },
  recall: {
    action: 'Recall crosswalk',
    title: 'Recall the crosswalk?',
    description: ({ deletionRequested }) =>
      deletionRequested ? 'It is not deleted.' : 'It becomes a draft again and is no longer listed for approval.',
    done: 'Crosswalk recalled',
  },
  approve: {
    action: 'Approve crosswalk',
    title: 'Approve the crosswalk?',
    description: ({ deletionRequested }) =>
      deletionRequested ? 'It is deleted and no longer translates.' : 'Its approved mappings are used from now on.',
    done: 'Crosswalk approved',
  },
  reject: {
    action: 'Reject crosswalk',
    title: 'Reject the crosswalk?',
    description: ({ deletionRequested }) =>
      deletionRequested
        ? 'It is not deleted.'
        : 'An approved definition stays in use. Without one, the mappings are not used.',
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
    description: () => 'It is restored as a draft with its mappings, and must be approved again.',
    done: 'Crosswalk restored',
  },
};

export const CROSSWALK: DefinitionKind<CrosswalkView, RowVerb> = {
  name: 'crosswalk',
  title: 'Crosswalk',
  rows: { path: 'mappings', label: 'Mappings', icon: ArrowLeftRight },
  dataSetsOf: ({ sourceSystemId, targetSystemId }) => [sourceSystemId, targetSystemId],
  words: DEFINITION_VERB_WORDS,
  verbsOf: definitionVerbs,
  refusalOf: definitionRefusal,
  wordsOfMany: CROSSWALK_WORDS,
  countText: crosswalksText,
  isServed: ({ isServed, counts }) => isServed || counts.served > 0,
  reload: reloadCrosswalk,
  reloadAll: reloadCrosswalks,
  History: CrosswalkHistory,
};
