/** Lets the user choose between their edit of a value and that of another user, with the keys of the rows. */
import type { RelationshipValueView } from '@rdm/contracts/relationships/relationship-values';
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import { ConflictDialog } from '../../../../components/conflict/index.tsx';
import type { Merge } from '../../../../lib/conflict/index.ts';
import type { ChosenInstance } from '../InstancePicker.tsx';
import { keyText } from '../review-words.ts';
import { type FlatValue, SOURCE, TARGET } from './value-edits.ts';

export interface Conflict {
  theirs: RelationshipValueView;
  mine: FlatValue;
  merge: Merge<FlatValue>;
}

export interface ValueConflictProps {
  relationship: RelationshipView;
  value: RelationshipValueView | undefined;
  /** The rows that the user chose. */
  ends: readonly (ChosenInstance | undefined)[];
  conflict: Conflict;
  onCancel: () => void;
  onResolve: (chosen: FlatValue) => void;
}

export function ValueConflict({ relationship, value, ends, conflict, onCancel, onResolve }: ValueConflictProps) {
  const { merged, overlaps } = conflict.merge;
  const keys = new Map<unknown, string>();
  for (const end of ends) if (end !== undefined) keys.set(end.id, end.key);
  for (const each of [value, conflict.theirs]) {
    if (each === undefined) continue;
    keys.set(each.sourceInstanceId, keyText(each.sourceKey, each.sourceInstanceId));
    keys.set(each.targetInstanceId, keyText(each.targetKey, each.targetInstanceId));
  }
  const displayText = (field: string, stored: unknown) =>
    field === SOURCE || field === TARGET ? (keys.get(stored) ?? stored) : stored;
  return (
    <ConflictDialog
      overlaps={overlaps.map(({ field, base, mine, theirs }) => ({
        field,
        base: displayText(field, base),
        mine: displayText(field, mine),
        theirs: displayText(field, theirs),
      }))}
      labels={{
        ...Object.fromEntries(relationship.attributes.map(({ name }) => [name, name])),
        [SOURCE]: relationship.sourceName,
        [TARGET]: relationship.targetName,
      }}
      onCancel={onCancel}
      onResolve={(own) => {
        const resolvedValue = { ...merged };
        for (const name of own) resolvedValue[name] = conflict.mine[name] ?? null;
        onResolve(resolvedValue);
      }}
    />
  );
}
