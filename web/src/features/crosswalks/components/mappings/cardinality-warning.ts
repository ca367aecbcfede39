/** Warns before a mapping that the crosswalk's cardinality does not allow is drafted, submitted or approved. */

import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { MappingView } from '@rdm/contracts/crosswalks/mappings';
import type { ApprovalStatus } from '@rdm/contracts/review/approval';
import { CARDINALITY_WORDS } from '../../../../lib/definitions/words.ts';
import { formatNumber } from '../../../../lib/number-format.ts';
import { meansOneSource, meansOneTarget } from '../definition/definition-labels.ts';
import type { GroupPosition } from './siblings.ts';

type WithCardinality = Pick<CrosswalkView, 'cardinality'>;
type ExistingMapping = Pick<MappingView, 'id' | 'sourceValue' | 'targetValue' | 'status' | 'served'>;

/** The number of mappings listed by name. */
const NAMES_LISTED = 3;

export const STATUS_WORDS: Record<ApprovalStatus, string> = {
  DRAFT: 'draft',
  PENDING: 'pending',
  APPROVED: 'approved',
  REJECTED: 'rejected',
};

const listNames = (names: readonly string[]): string =>
  names.length <= NAMES_LISTED
    ? names.join(', ')
    : `${names.slice(0, NAMES_LISTED).join(', ')} and ${formatNumber(names.length - NAMES_LISTED)} more`;

const cardinalityText = ({ cardinality }: WithCardinality): string =>
  `this crosswalk is stated as ${CARDINALITY_WORDS[cardinality].toLowerCase()}`;

/** Whether a mapping counts when the targets of its source value are counted. A rejected mapping without an approved version does not. */
const countsAsTarget = ({ status, served }: Pick<ExistingMapping, 'status' | 'served'>): boolean =>
  status !== 'REJECTED' || served !== null;

/** A source and a target value; `id` is the id of the edited mapping, undefined for a new one. */
export interface Pair {
  id?: number;
  sourceValue: string | undefined;
  targetValue: string | undefined;
}

/** The warning before a pair is drafted; undefined if the cardinality allows the pair. */
export function pairWarning(
  crosswalk: WithCardinality,
  pair: Pair,
  existing: readonly ExistingMapping[],
): string | undefined {
  const samePair = existing.find(
    (mapping) =>
      mapping.id !== pair.id && mapping.sourceValue === pair.sourceValue && mapping.targetValue === pair.targetValue,
  );
  if (samePair !== undefined)
    return `${samePair.sourceValue} → ${samePair.targetValue} exists already (${STATUS_WORDS[samePair.status]}): another one will be refused.`;
  const others = existing.filter((mapping) => mapping.id !== pair.id && countsAsTarget(mapping));
  const targets = meansOneTarget(crosswalk.cardinality)
    ? others.filter((mapping) => mapping.sourceValue === pair.sourceValue && mapping.targetValue !== pair.targetValue)
    : [];
  const sources = meansOneSource(crosswalk.cardinality)
    ? others.filter((mapping) => mapping.targetValue === pair.targetValue && mapping.sourceValue !== pair.sourceValue)
    : [];
  const parts = [
    targets.length > 0 &&
      `${pair.sourceValue} is mapped already: ${listNames(targets.map((mapping) => `${mapping.targetValue} (${STATUS_WORDS[mapping.status]})`))}`,
    sources.length > 0 &&
      `${pair.targetValue} has a source already: ${listNames(sources.map((mapping) => `${mapping.sourceValue} (${STATUS_WORDS[mapping.status]})`))}`,
  ].filter((words) => words !== false);
  if (parts.length === 0) return undefined;
  return `${parts.join('. ')}, and ${cardinalityText(crosswalk)}. Another one may be drafted; the approver has to choose.`;
}

/** The warning before rows are submitted or approved; considers only the mappings that the page has loaded. */
export function rowsWarning(
  crosswalk: WithCardinality,
  rows: readonly ExistingMapping[],
  groups: ReadonlyMap<number, GroupPosition>,
): string | undefined {
  if (!meansOneTarget(crosswalk.cardinality)) return undefined;
  const rowsWithOtherTargets = rows.flatMap(({ id, sourceValue }) => {
    const others = groups.get(id)?.others.filter(({ status }) => status !== 'REJECTED') ?? [];
    return others.length === 0 ? [] : [{ sourceValue, others }];
  });
  const [first] = rowsWithOtherTargets;
  if (first === undefined) return undefined;
  const values = [...new Set(rowsWithOtherTargets.map(({ sourceValue }) => sourceValue))];
  const parts =
    values.length === 1 && rowsWithOtherTargets.length === 1
      ? `${first.sourceValue} has another target: ${listNames(first.others.map((other) => `${other.targetValue} (${STATUS_WORDS[other.status]})`))}`
      : `${values.length === 1 ? 'One source value has' : `${formatNumber(values.length)} source values have`} several targets: ${listNames(values)}`;
  return `${parts}, and ${cardinalityText(crosswalk)}. Once several are approved, a translation returns all of them.`;
}
