/** What may be done to mappings, in the words of a crosswalk. */
import type { Reviewable } from '@rdm/contracts/approval';
import type { MappingValue, MappingView } from '@rdm/contracts/crosswalks';
import { type RowVerb, VERB_WORDS, type VerbWords } from '../../../components/review/verbs.ts';
import { grouped } from '../../../lib/grouped.ts';

export const reviewable = (row: MappingView): Reviewable<MappingValue> => ({
  revision: row.revision,
  approvalStatus: row.status,
  value: { targetValue: row.targetValue, confidence: row.confidence },
  served: row.served,
  deletionRequested: row.deletionRequested,
  deleted: row.deleted,
  submittedBy: row.submittedBy,
  authors: row.authors,
});

export const MAPPING_WORDS: Record<RowVerb, VerbWords> = {
  ...VERB_WORDS,
  approve: { ...VERB_WORDS.approve, consequence: 'From now on these are the answers of translate.' },
};

export const mappingsText = (count: number): string => `${grouped(count)} ${count === 1 ? 'mapping' : 'mappings'}`;
