/** Plans an import: maps the columns of the file to fields of the type. */
import { activeFields, type ReferenceType, Refusal } from '@rdm/contracts';
import type { ImportPlan } from './row-validation.ts';

/**
 * Throws INVALID for an unknown column, for a field that is unknown or retired, for a field with two columns, and for a
 * key field without a column.
 */
export function planImport(
  columns: readonly string[],
  mapping: Record<string, number>,
  keyFieldIds: readonly number[],
  type: ReferenceType,
): ImportPlan {
  const fields = new Map(activeFields(type).map((field) => [field.fieldId, field]));
  const filledBy = new Map<number, string>();
  const mapped = Object.entries(mapping).map(([name, fieldId]) => {
    const index = columns.indexOf(name);
    if (index < 0) throw new Refusal('INVALID', `The file has no column "${name}"`);
    const field = fields.get(fieldId);
    if (!field) throw new Refusal('INVALID', `"${type.name}" has no active field ${fieldId} for the column "${name}"`);
    const other = filledBy.get(fieldId);
    if (other !== undefined) {
      throw new Refusal('INVALID', `The columns "${other}" and "${name}" both fill the field "${field.name}"`);
    }
    filledBy.set(fieldId, name);
    return { index, name, field };
  });
  mapped.sort((a, b) => a.index - b.index);
  const keyAt = keyFieldIds.map((fieldId) => {
    const at = mapped.findIndex((column) => column.field.fieldId === fieldId);
    if (at < 0) {
      const name = type.fields.find((field) => field.fieldId === fieldId)?.name ?? String(fieldId);
      throw new Refusal('INVALID', `No column fills the key field "${name}": choose one`, { fieldId });
    }
    return at;
  });
  return { columns, mapped, keyAt };
}
