/** Lets the user choose between two concurrent edits of a value. Displays the keys of the rows instead of their ids. */
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
  /** The source row and the target row that the user chose. */
  ends: readonly (ChosenInstance | undefined)[];
  conflict: Conflict;
  onCancel: () => void;
  onResolve: (resolvedValue: FlatValue) => void;
}

export function ValueConflict({ relationship, value, ends, conflict, onCancel, onResolve }: ValueConflictProps) {
  const { merged, overlaps } = conflict.merge;
  const keys = new Map<unknown, string>();
  for (const end of ends) if (end !== undefined) keys.set(end.id, end.key);
  for (const version of [value, conflict.theirs]) {
    if (version === undefined) continue;
    keys.set(version.sourceInstanceId, keyText(version.sourceKey, version.sourceInstanceId));
    keys.set(version.targetInstanceId, keyText(version.targetKey, version.targetInstanceId));
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
      onResolve={(ownFields) => {
        const resolvedValue = { ...merged };
        for (const name of ownFields) resolvedValue[name] = conflict.mine[name] ?? null;
        onResolve(resolvedValue);
      }}
    />
  );
}
