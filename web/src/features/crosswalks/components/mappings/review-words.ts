/** Texts of the review verbs for mappings and for crosswalks. */

import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { MappingValue, MappingView } from '@rdm/contracts/crosswalks/mappings';
import type { Reviewable } from '@rdm/contracts/review/approval';
import { type RowVerb, VERB_WORDS, type VerbWords } from '../../../../components/review/verbs.ts';
import { formatNumber } from '../../../../lib/number-format.ts';

export const reviewable = (row: MappingView): Reviewable<MappingValue> => ({
  ...row,
  approvalStatus: row.status,
  value: { targetValue: row.targetValue, confidence: row.confidence },
});

export const mappingWords = ({
  isServed,
  approvalStatus,
}: Pick<CrosswalkView, 'isServed' | 'approvalStatus'>): Record<RowVerb, VerbWords> => ({
  ...VERB_WORDS,
  submit: {
    ...VERB_WORDS.submit,
    consequence:
      isServed || approvalStatus !== 'DRAFT'
        ? VERB_WORDS.submit.consequence
        : `The crosswalk itself is submitted too. ${VERB_WORDS.submit.consequence}`,
  },
  approve: {
    ...VERB_WORDS.approve,
    consequence: isServed
      ? 'Translations use them from now on. Requested deletions are carried out.'
      : 'Translations use them once the crosswalk itself is approved. Requested deletions are carried out.',
  },
});

export const mappingsText = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'mapping' : 'mappings'}`;

/** Texts of the review verbs for crosswalks themselves. */
export const CROSSWALK_WORDS: Record<RowVerb, VerbWords> = {
  ...VERB_WORDS,
  submit: {
    ...VERB_WORDS.submit,
    consequence: 'An approver reviews the choice of data sets and attributes, and the result for unmapped values.',
  },
  approve: {
    ...VERB_WORDS.approve,
    consequence: 'Their approved mappings are used from now on. Requested deletions are carried out.',
  },
  reject: { ...VERB_WORDS.reject, consequence: 'Approved definitions stay in use.' },
  revoke: { ...VERB_WORDS.revoke, consequence: 'Their mappings are no longer used, with immediate effect.' },
  discard: { ...VERB_WORDS.discard, consequence: 'The approved definitions stay in use.' },
  delete: {
    ...VERB_WORDS.delete,
    consequence:
      'An approver must approve the deletion of a crosswalk with an approved definition or approved mappings. Other crosswalks are deleted immediately with their drafts. You can undo the deletion.',
  },
  restore: {
    ...VERB_WORDS.restore,
    consequence: 'They are restored as drafts with their mappings, and must be approved again.',
  },
};

export const crosswalksText = (count: number): string =>
  `${formatNumber(count)} ${count === 1 ? 'crosswalk' : 'crosswalks'}`;
