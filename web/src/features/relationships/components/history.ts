/** Two versions of a value beside each other, field by field. */
import type { RelationshipValueHistoryView } from '@rdm/contracts/relationship-values';
import { keyText } from './verbs.ts';

type Version = Pick<
  RelationshipValueHistoryView,
  'sourceKey' | 'sourceInstanceId' | 'targetKey' | 'targetInstanceId' | 'attributes' | 'newStatus'
>;

interface Compared {
  label: string;
  before: unknown;
  after: unknown;
}

export function fieldsOf(before: Version, after: Version): Compared[] {
  const names = [...new Set([...Object.keys(before.attributes), ...Object.keys(after.attributes)])];
  return [
    {
      label: 'Source',
      before: keyText(before.sourceKey, before.sourceInstanceId),
      after: keyText(after.sourceKey, after.sourceInstanceId),
    },
    {
      label: 'Target',
      before: keyText(before.targetKey, before.targetInstanceId),
      after: keyText(after.targetKey, after.targetInstanceId),
    },
    ...names.map((name) => ({
      label: name,
      before: before.attributes[name] ?? null,
      after: after.attributes[name] ?? null,
    })),
    { label: 'Status', before: before.newStatus, after: after.newStatus },
  ];
}

/** What a version says otherwise than the one before it; undefined when it only moved through the review. */
export function changesOf(version: Version, before: Version | undefined): Compared[] | undefined {
  if (before === undefined) return undefined;
  const changed = fieldsOf(before, version).filter((field) => field.label !== 'Status' && field.before !== field.after);
  return changed.length === 0 ? undefined : changed;
}
