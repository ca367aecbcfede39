/** Converts values to flat records and back, so that concurrent edits can be compared and merged field by field. */
import type { RelationshipValueView } from '@rdm/contracts/relationships/relationship-values';
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import type { CellValue } from '@rdm/contracts/text/rows';

/** A value as one record of comparable fields. */
export type FlatValue = Record<string, CellValue>;
// These names begin with a blank, so they differ from all attribute names, which are trimmed.
export const SOURCE = ' source';
export const TARGET = ' target';

export const flatValue = (source: number, target: number, attributes: Record<string, CellValue>): FlatValue => ({
  ...attributes,
  [SOURCE]: source,
  [TARGET]: target,
});

export const flatOf = ({ attributes }: RelationshipView, stored: RelationshipValueView): FlatValue =>
  flatValue(
    stored.sourceInstanceId,
    stored.targetInstanceId,
    Object.fromEntries(attributes.map(({ name }) => [name, stored.attributes[name] ?? null])),
  );

/** The changed fields in the format of the API. */
export function editOf(change: Partial<FlatValue>) {
  const { [SOURCE]: source, [TARGET]: target, ...attributes } = change;
  return {
    ...(typeof source === 'number' && { sourceInstanceId: source }),
    ...(typeof target === 'number' && { targetInstanceId: target }),
    ...(Object.keys(attributes).length > 0 && { attributes: attributes as Record<string, CellValue> }),
  };
}
