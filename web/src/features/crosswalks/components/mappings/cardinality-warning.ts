/** Warns about mappings that the cardinality does not allow, before a draft, submission or approval. */

import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { MappingView } from '@rdm/contracts/crosswalks/mappings';
import type { ApprovalStatus } from '@rdm/contracts/review/approval';
import { formatNumber } from '../../../../lib/number-format.ts';
import { meansOneSource, meansOneTarget } from '../definition/definition-labels.ts';
import type { GroupPosition } from './siblings.ts';

type WithCardinality = Pick<CrosswalkView, 'cardinality'>;
type ExistingMapping = Pick<MappingView, 'id' | 'sourceValue' | 'targetValue' | 'status' | 'served'>;

/** The maximum number of mappings or source values that a warning names. */
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

const alreadyHas = (value: string | undefined, noun: 'target' | 'source', names: readonly string[]): string =>
  `${value} already has the ${noun}${names.length === 1 ? '' : 's'} ${listNames(names)}.`;

const ONE_TARGET = 'each source value should have one target';
const ONE_SOURCE = 'each target should have one source';

/** Rejected mappings without an approved version do not count. */
const countsForCardinality = ({ status, served }: Pick<ExistingMapping, 'status' | 'served'>): boolean =>
  status !== 'REJECTED' || served !== null;

/** A source value and a target value; `id` is the id of the edited mapping, undefined for a new mapping. */
export interface Pair {
  id?: number;
  sourceValue: string | undefined;
  targetValue: string | undefined;
}

/** Returns the warning before a draft of a pair; undefined if the pair is new and the cardinality allows the pair. */
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
    return `${samePair.sourceValue} → ${samePair.targetValue} exists already (${STATUS_WORDS[samePair.status]}): another mapping of this pair will be refused.`;
  const others = existing.filter((mapping) => mapping.id !== pair.id && countsForCardinality(mapping));
  const targets = meansOneTarget(crosswalk.cardinality)
    ? others.filter((mapping) => mapping.sourceValue === pair.sourceValue && mapping.targetValue !== pair.targetValue)
    : [];
  const sources = meansOneSource(crosswalk.cardinality)
    ? others.filter((mapping) => mapping.targetValue === pair.targetValue && mapping.sourceValue !== pair.sourceValue)
    : [];
  const sentences: string[] = [];
  const rules: string[] = [];
  if (targets.length > 0) {
    const names = targets.map(({ targetValue, status }) => `${targetValue} (${STATUS_WORDS[status]})`);
    sentences.push(alreadyHas(pair.sourceValue, 'target', names));
    rules.push(ONE_TARGET);
  }
  if (sources.length > 0) {
    const names = sources.map(({ sourceValue, status }) => `${sourceValue} (${STATUS_WORDS[status]})`);
    sentences.push(alreadyHas(pair.targetValue, 'source', names));
    rules.push(ONE_SOURCE);
  }
  if (rules.length === 0) return undefined;
  return `${sentences.join(' ')} In this crosswalk, ${rules.join(' and ')}. You can draft another mapping, but the approver then has to choose which of these mappings to approve.`;
}

/**
 * Returns the warning before a submission or approval of mappings whose source value has further targets. Ignores
 * mappings that the page has not loaded.
 */
export function rowsWarning(
  crosswalk: WithCardinality,
  rows: readonly ExistingMapping[],
  groups: ReadonlyMap<number, GroupPosition>,
): string | undefined {
  if (!meansOneTarget(crosswalk.cardinality)) return undefined;
  const rowsWithOtherTargets = rows.flatMap(({ id, sourceValue }) => {
    const others = groups.get(id)?.others.filter(countsForCardinality) ?? [];
    return others.length === 0 ? [] : [{ sourceValue, others }];
  });
  const [first] = rowsWithOtherTargets;
  if (first === undefined) return undefined;
  const values = [...new Set(rowsWithOtherTargets.map(({ sourceValue }) => sourceValue))];
  const finding =
    values.length === 1 && rowsWithOtherTargets.length === 1
      ? `${first.sourceValue} has another target: ${listNames(first.others.map((other) => `${other.targetValue} (${STATUS_WORDS[other.status]})`))}`
      : `${values.length === 1 ? 'One source value has' : `${formatNumber(values.length)} source values have`} several targets: ${listNames(values)}`;
  return `${finding}. In this crosswalk, ${ONE_TARGET}. If several targets are approved, a translation returns all of them.`;
}
