/** The display of an item under review: its changes, its impact, its page, and whether the user can decide it. */

import type { ApprovalView } from '@rdm/contracts/approvals/approvals';
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import {
  REVIEW_REFUSALS,
  type Reviewable,
  type Reviewer,
  type ReviewVerb,
  refusal,
} from '@rdm/contracts/review/approval';
import type { ApprovalKind } from '@rdm/contracts/review/approval-kinds';
import { deletedLink, editorLink } from '../../../components/review/links.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { isDefinitionItem, parentOf } from '../api/approvals.ts';

const reviewable = (item: ApprovalView): Reviewable<null> => ({
  revision: item.revision,
  approvalStatus: item.status === 'RECALLED' ? 'DRAFT' : item.status,
  value: null,
  served: null,
  deletionRequested: item.deletionRequested,
  deleted: false,
  submittedBy: item.submittedBy,
  authors: item.authors,
});

/** Why the user may not apply the verb to the item; undefined if the user may do so. */
export function itemRefusal(
  verb: Extract<ReviewVerb, 'approve' | 'reject' | 'recall'>,
  item: ApprovalView,
  userId: number,
): string | undefined {
  const by: Reviewer = { userId, level: item.level };
  const code = refusal(verb, reviewable(item), by);
  return code === null ? undefined : REVIEW_REFUSALS[code];
}

/** Why none of the items can be decided; undefined if at least one can be, because each item gets its own result. */
export function bulkRefusal(
  verb: 'approve' | 'reject',
  items: readonly ApprovalView[],
  userId: number,
): string | undefined {
  let firstReason: string | undefined;
  for (const item of items) {
    const reason = itemRefusal(verb, item, userId);
    if (reason === undefined) return undefined;
    firstReason ??= reason;
  }
  return firstReason;
}

/** The effect of a decision on a number of items. */
export function consequenceOf(verb: 'approve' | 'reject', count: number): string {
  const isOne = count === 1;
  if (verb === 'approve') {
    return `${isOne ? 'The approved version is' : 'The approved versions are'} used from now on; a mapping is used as soon as its crosswalk is approved too. Requested deletions are carried out.`;
  }
  return isOne
    ? 'It returns to its authors with the reason. An approved version stays in use.'
    : 'They return to their authors with the reason. Approved versions stay in use.';
}

/** Whether the submission was recalled. A row has no such status: after a recall it is a draft or still approved. */
export const isRecalled = ({ status }: ApprovalView): boolean => status === 'RECALLED';

/** Whether this user submitted the item and should correct it after a rejection. */
export const needsCorrection = (item: ApprovalView, userId: number): boolean =>
  isDecidedAs(item, 'REJECTED') && item.submittedBy === userId && !item.parentGone;

const FIELD_LABELS: Record<string, string> = {
  sourceValue: 'Source value',
  targetValue: 'Target value',
  source: 'Source',
  target: 'Target',
  confidence: 'Confidence',
  name: 'Name',
  description: 'Description',
  relationshipType: 'Type',
  cardinality: 'Cardinality',
  allowSelfRelationship: 'Self-relations allowed',
  similarityThreshold: 'Similarity threshold',
  unmapped: 'Unmapped values',
  sourceSystemId: 'Source data set',
  targetSystemId: 'Target data set',
  sourceDataSetId: 'Source data set',
  targetDataSetId: 'Target data set',
  sourceFieldId: 'Source field',
  targetFieldId: 'Target field',
  sourceLabelFieldId: 'Source label field',
  targetLabelFieldId: 'Target label field',
};

export interface Change {
  label: string;
  before: unknown;
  after: unknown;
}

/** The names for the ids in a definition. A name with an id belongs to this id only, a name without an id to any id. */
function namesOf(parent: CrosswalkView | RelationshipView): Record<string, [id: number | undefined, name: string]> {
  if ('sourceSystemId' in parent) {
    return {
      sourceSystemId: [parent.sourceSystemId, parent.sourceName],
      targetSystemId: [parent.targetSystemId, parent.targetName],
      sourceFieldId: [parent.sourceFieldId, parent.sourceAttribute],
      targetFieldId: [parent.targetFieldId, parent.targetAttribute],
      // Label fields are not reviewed, so they are the same in the pending and the approved version.
      sourceLabelFieldId: [undefined, parent.chosenSourceLabelField ?? ''],
      targetLabelFieldId: [undefined, parent.chosenTargetLabelField ?? ''],
    };
  }
  // The ends of a relationship never change.
  return {
    sourceDataSetId: [undefined, parent.sourceName],
    targetDataSetId: [undefined, parent.targetName],
    sourceFieldId: [undefined, parent.sourceField],
    targetFieldId: [undefined, parent.targetField],
  };
}

/** The result of a crosswalk for an unmapped value. */
function unmappedText(unmapped: CrosswalkView['unmapped']): string {
  if (unmapped.yields === 'FIXED') return `yield “${unmapped.value}”`;
  return unmapped.yields === 'SOURCE_VALUE' ? 'yield themselves' : 'yield nothing';
}

function valueText(name: string, value: unknown, parent: CrosswalkView | RelationshipView | undefined): unknown {
  if (name === 'unmapped' && value) return unmappedText(value as CrosswalkView['unmapped']);
  if (name === 'cardinality' && typeof value === 'string') return value.toLowerCase().replaceAll('_', '-');
  if (name === 'similarityThreshold' && typeof value === 'number') return `${Math.round(value * 100)}%`;
  if (name.endsWith('LabelFieldId') && value === null) return 'as in the data set';
  const nameOfId = parent && namesOf(parent)[name];
  if (nameOfId === undefined || value === undefined || value === null) return value;
  const [id, text] = nameOfId;
  return id === undefined || id === value ? text : value;
}

/** The values before and after the change under review, by field; a deletion has no new values. */
export function changesOf({ before, after }: ApprovalView, parent?: CrosswalkView | RelationshipView): Change[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => name !== 'id',
  );
  const orderedNames = Object.keys(FIELD_LABELS);
  const position = (name: string) => (orderedNames.includes(name) ? orderedNames.indexOf(name) : orderedNames.length);
  return names
    .sort((a, b) => position(a) - position(b) || a.localeCompare(b))
    .map((name) => ({
      label: FIELD_LABELS[name] ?? name,
      before: valueText(name, before?.[name], parent),
      after: valueText(name, after?.[name], parent),
    }));
}

/** Formats a number with a noun: `1 value`, `1,200 values`. */
export const countText = (count: number, noun: string): string =>
  `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;

/**
 * Describes the impact of approving the item. `parent` adds the number of approved values to a new crosswalk, and a
 * condition to a mapping of an unapproved crosswalk.
 */
export function impactOf(item: ApprovalView, parent?: CrosswalkView | RelationshipView): string {
  const { kind, before, deletionRequested } = item;
  switch (kind) {
    case 'crosswalk':
      if (deletionRequested) return 'The crosswalk is deleted and no longer translates.';
      if (before !== null) return 'The new definition of the crosswalk is used.';
      return parent === undefined
        ? 'The crosswalk starts to serve its approved values.'
        : `The crosswalk starts to serve ${countText(parent.counts.approved, 'approved value')}.`;
    case 'relationship':
      return 'The relationship is deleted with all its values.';
    case 'relationship-value':
      return impactOfValue(item);
    case 'mapping':
      return parent !== undefined && 'isServed' in parent && !parent.isServed
        ? `${impactOfMapping(item)} This takes effect once the crosswalk itself is approved.`
        : impactOfMapping(item);
  }
}

function impactOfMapping({ before, after, deletionRequested }: ApprovalView): string {
  const source = String(after?.['sourceValue'] ?? before?.['sourceValue'] ?? '');
  const oldTarget = before?.['targetValue'];
  const newTarget = after?.['targetValue'];
  if (deletionRequested) return `Translating ${source} no longer returns ${String(oldTarget)}.`;
  if (oldTarget === undefined) return `Translating ${source} starts to return ${String(newTarget)}.`;
  if (oldTarget === newTarget) return `Translating ${source} returns ${String(newTarget)} as before.`;
  return `Translating ${source} returns ${String(newTarget)} instead of ${String(oldTarget)}.`;
}

function impactOfValue({ before, after, deletionRequested, parentName }: ApprovalView): string {
  const pair = (values: Record<string, unknown> | null) =>
    `${String(values?.['source'])} → ${String(values?.['target'])}`;
  if (deletionRequested) return `${parentName} no longer contains ${pair(before)}.`;
  if (before === null) return `${parentName} starts to contain ${pair(after)}.`;
  if (pair(before) === pair(after)) return `${parentName} contains ${pair(after)} as before, with other attributes.`;
  return `${parentName} contains ${pair(after)} instead of ${pair(before)}.`;
}

export const KIND_WORDS: Record<ApprovalKind, string> = {
  crosswalk: 'Crosswalk',
  mapping: 'Mapping',
  relationship: 'Relationship',
  'relationship-value': 'Value',
};

/** Whether this decision was made on the item and was not undone. */
const isDecidedAs = (item: ApprovalView, decision: 'APPROVED' | 'REJECTED'): boolean =>
  item.status === decision && item.undoneAt === null;

/** The tab of the parent's page that lists the mapping or value of the item. */
function tabOf(item: ApprovalView): string {
  if (isRecalled(item)) return item.deletionRequested ? 'approved' : 'draft';
  if (isDecidedAs(item, 'APPROVED')) return item.deletionRequested ? 'deleted' : 'approved';
  if (isDecidedAs(item, 'REJECTED')) return item.deletionRequested ? 'approved' : 'rejected';
  return 'pending';
}

/** The page of the item's row or definition. If the parent was deleted, the list where the parent can be restored. */
export function pageOf(item: ApprovalView): string {
  const parent = parentOf(item);
  if (item.parentGone) return deletedLink(parent, item.parentId);
  const page = `/${parent}s/${item.parentId}/${parent === 'crosswalk' ? 'mappings' : 'values'}`;
  return isDefinitionItem(item) ? page : `${page}?tab=${tabOf(item)}`;
}

/** Where the author corrects a rejected item: the editor of the row, or the page of a definition or deletion. */
export const correctionPageOf = (item: ApprovalView): string =>
  isDefinitionItem(item) || item.deletionRequested ? pageOf(item) : editorLink(item, tabOf(item));

/** The heading above the values of an item. */
export function changeTitle(item: ApprovalView): string {
  if (!item.deletionRequested) return item.before === null ? 'New' : 'Before → after';
  if (item.status === 'PENDING') return 'To be deleted';
  return isDecidedAs(item, 'APPROVED') ? 'Deleted' : 'Not deleted';
}

const UNITS: readonly [seconds: number, unit: string][] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];

/** A duration in its largest unit: `3 d`, `2 h`, `40 s`. */
export function durationText(seconds: number | null): string {
  if (seconds === null) return '—';
  const [size, unit] = UNITS.find(([size]) => seconds >= size) ?? [1, 's'];
  const amount = seconds / size;
  return `${amount < 10 && size > 1 ? Math.round(amount * 10) / 10 : Math.max(seconds > 0 ? 1 : 0, Math.round(amount))} ${unit}`;
}
