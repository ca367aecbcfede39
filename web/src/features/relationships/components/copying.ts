/** Which values of a relationship a copy with other rules could hold, and which would break those rules. */
import { type Pair, sourceIsUnique, targetIsUnique } from '@rdm/contracts/relationship-values';
import type { Cardinality } from '@rdm/contracts/relationships';

export interface CopyRules {
  cardinality: Cardinality;
  /** Rows of one data set are related, and none to itself. */
  refusesSelf: boolean;
}

export interface Violation<Value> {
  value: Value;
  /** The value before it that it cannot stand beside; undefined where its row would be related to itself. */
  beside: Value | undefined;
}

/** Of values that cannot stand beside each other the first is kept, as the server does. */
export function sortedByRules<Value extends Pair>(
  values: readonly Value[],
  { cardinality, refusesSelf }: CopyRules,
): { kept: Value[]; violations: Violation<Value>[] } {
  const bySource = new Map<number, Value>();
  const byTarget = new Map<number, Value>();
  const kept: Value[] = [];
  const violations: Violation<Value>[] = [];
  for (const value of values) {
    const isSelf = refusesSelf && value.sourceInstanceId === value.targetInstanceId;
    const beside =
      (sourceIsUnique(cardinality) ? bySource.get(value.sourceInstanceId) : undefined) ??
      (targetIsUnique(cardinality) ? byTarget.get(value.targetInstanceId) : undefined);
    if (isSelf || beside !== undefined) {
      violations.push({ value, beside: isSelf ? undefined : beside });
      continue;
    }
    kept.push(value);
    bySource.set(value.sourceInstanceId, value);
    byTarget.set(value.targetInstanceId, value);
  }
  return { kept, violations };
}
