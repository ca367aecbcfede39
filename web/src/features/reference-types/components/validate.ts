/** Validates the forms of types (specification §5). */
import { WORDS } from '@rdm/contracts/refusal';
import type { DraftField } from './FieldRows.tsx';

/** Returns the problem of the form; undefined if it is valid. */
export function formProblem(name: string, fields: readonly DraftField[]): string | undefined {
  if (name.trim() === '') return WORDS.nameRequired;
  return schemaProblem(fields);
}

export function schemaProblem(fields: readonly DraftField[]): string | undefined {
  const remainingFields = fields.filter((field) => !field.retired);
  if (remainingFields.some((field) => field.name.trim() === '')) return 'All schemas must have names';
  if (!remainingFields.some((field) => field.isPrimaryKey)) return WORDS.needsPrimaryKey;
  return undefined;
}
