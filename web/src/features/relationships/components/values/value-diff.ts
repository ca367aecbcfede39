/** Lists the fields of a relationship value in two versions, for a diff. */
import type { RelationshipValueHistoryView } from '@rdm/contracts/relationships/relationship-values';
import type { DiffField } from '../../../../components/diff/index.tsx';
import { keyText } from '../review-words.ts';

type Version = Pick<
  RelationshipValueHistoryView,
  'sourceKey' | 'sourceInstanceId' | 'targetKey' | 'targetInstanceId' | 'attributes'
>;

export function diffFields(before: Version, after: Version): DiffField[] {
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
  ];
}
