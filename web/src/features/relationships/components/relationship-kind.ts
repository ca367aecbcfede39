/** The relationship as a kind of definition: the allowed review verbs, and the labels of the verbs. */

import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import { DEFINITION_LEVEL, REVIEW_REFUSALS } from '@rdm/contracts/review/approval';
import { Link2 } from 'lucide-react';
import type { DefinitionKind, DefinitionWords } from '../../../components/review/definition-kind.ts';
import { type RowVerb, rowRefusal, VERB_WORDS, type VerbWords } from '../../../components/review/verbs.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { reloadRelationship, reloadRelationships } from '../api/relationships.ts';
import { RelationshipHistory } from './RelationshipHistory.tsx';

/** The verbs for a relationship itself. Only the deletion of a relationship is reviewed. */
type DefinitionVerb = 'delete' | 'approve' | 'reject' | 'recall' | 'restore';

/** Returns why the user may not apply the verb to the relationship; undefined if the verb is allowed. */
export function definitionRefusal(
  verb: DefinitionVerb,
  relationship: RelationshipView,
  userId: number,
): string | undefined {
  const reviewer = { userId, level: relationship.level, needed: DEFINITION_LEVEL[verb] };
  const refusal = rowRefusal(verb, { ...relationship, value: null, served: null }, reviewer);
  return refusal ?? (verb === 'restore' && relationship.deletionDecided ? REVIEW_REFUSALS.FINAL : undefined);
}

/**
 * The verbs that the state allows: `approve`, `reject` and `recall` while the deletion waits for an approver; `restore`
 * after the deletion; otherwise `delete`.
 */
export const definitionVerbs = ({ deletionRequested, deleted }: RelationshipView): readonly DefinitionVerb[] =>
  deleted ? ['restore'] : deletionRequested ? ['approve', 'reject', 'recall'] : ['delete'];

const DEFINITION_VERB_WORDS: Record<DefinitionVerb, DefinitionWords<RelationshipView>> = {
  delete: {
    action: 'Delete relationship',
    title: 'Delete the relationship?',
    description: ({ counts }) =>
      counts.served > 0
        ? 'It has approved values: an approver must approve the deletion.'
        : 'If a value was ever approved, an approver must approve the deletion. Otherwise the relationship and its drafts are deleted immediately and can be restored.',
    done: 'Relationship deleted',
    destructive: true,
  },
  approve: {
    action: 'Approve deletion',
    title: 'Approve the deletion?',
    description: () => 'The relationship is deleted with all its values.',
    done: 'Relationship deleted',
    destructive: true,
  },
  reject: {
    action: 'Reject deletion',
    title: 'Reject the deletion?',
    description: () => 'The relationship and its values stay as they are.',
    done: 'Deletion rejected',
    reasonRequired: true,
    destructive: true,
  },
  recall: {
    action: 'Recall deletion',
    title: 'Recall the deletion?',
    description: () => 'The relationship and its values stay as they are.',
    done: 'Deletion recalled',
  },
  restore: {
    action: 'Restore relationship',
    title: 'Restore the relationship?',
    description: () => 'It takes effect again, with its values as they were.',
    done: 'Relationship restored',
  },
};

/** The labels of the verbs for many relationships. */
const RELATIONSHIP_WORDS: Record<RowVerb, VerbWords> = {
  ...VERB_WORDS,
  approve: {
    ...VERB_WORDS.approve,
    action: 'Approve deletion',
    consequence: 'They are deleted with all their values.',
    destructive: true,
  },
  reject: {
    ...VERB_WORDS.reject,
    action: 'Reject deletion',
    consequence: 'They and their values stay as they are.',
  },
  recall: {
    ...VERB_WORDS.recall,
    action: 'Recall deletion',
    consequence: 'They and their values stay as they are.',
  },
  delete: {
    ...VERB_WORDS.delete,
    consequence:
      'If a value of a relationship was ever approved, an approver must approve the deletion. Other relationships are deleted immediately with their drafts. You can undo the deletion.',
  },
  restore: { ...VERB_WORDS.restore, consequence: 'They take effect again, with their values as they were.' },
};

const relationshipsText = (count: number): string =>
  `${formatNumber(count)} ${count === 1 ? 'relationship' : 'relationships'}`;

export const RELATIONSHIP: DefinitionKind<RelationshipView, DefinitionVerb> = {
  name: 'relationship',
  title: 'Relationship',
  rows: { path: 'values', label: 'Values', icon: Link2 },
  dataSetsOf: ({ sourceDataSetId, targetDataSetId }) => [sourceDataSetId, targetDataSetId],
  words: DEFINITION_VERB_WORDS,
  verbsOf: definitionVerbs,
  refusalOf: definitionRefusal,
  wordsOfMany: RELATIONSHIP_WORDS,
  countText: relationshipsText,
  isServed: ({ counts }) => counts.served > 0,
  reload: reloadRelationship,
  reloadAll: reloadRelationships,
  History: RelationshipHistory,
};
