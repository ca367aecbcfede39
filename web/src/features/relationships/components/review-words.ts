/** Texts for reviewed relationship values: their pairs, their tabs, and their approved versions. */
import type { Reviewable } from '@rdm/contracts/review/approval';
import type { ReviewStatus } from '../../../components/review/verbs.ts';
import type { ValueRow } from '../api/values.ts';

export const reviewable = (row: ValueRow): Reviewable<object> => ({ ...row, value: {} });

/** Returns the tab of a value by its status. A broken value is also on the tab of broken values. */
export const statusTab = (row: Pick<ValueRow, 'approvalStatus' | 'deleted'>): ReviewStatus =>
  row.deleted ? 'deleted' : (row.approvalStatus.toLowerCase() as ReviewStatus);

/** Returns the key of a row, or `#` and the id if there is no such row, not even a deleted one. */
export const keyText = (key: string | null, instanceId: number): string => key ?? `#${instanceId}`;

export const pairText = (
  row: Pick<ValueRow, 'sourceKey' | 'sourceInstanceId' | 'targetKey' | 'targetInstanceId'>,
): string => `${keyText(row.sourceKey, row.sourceInstanceId)} → ${keyText(row.targetKey, row.targetInstanceId)}`;

/**
 * Describes the approved version of a value: the pair if the working value has another pair, otherwise the attributes
 * that differ. Undefined if there is no approved version or no difference.
 */
export function approvedVersionText({ served, ...row }: ValueRow): string | undefined {
  if (served === null) return undefined;
  const hasSameEnds =
    served.sourceInstanceId === row.sourceInstanceId && served.targetInstanceId === row.targetInstanceId;
  if (!hasSameEnds) return pairText(served);
  const changedAttributes = Object.entries(served.attributes).filter(([name, value]) => value !== row.attributes[name]);
  return changedAttributes.length === 0
    ? undefined
    : changedAttributes.map(([name, value]) => `${name} ${value === null ? '—' : String(value)}`).join(', ');
}
