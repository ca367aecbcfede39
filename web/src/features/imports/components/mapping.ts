/** The mapping of file columns to fields: its problems, and sample values of each column. */
import type { SchemaFieldView } from '@rdm/contracts/reference-types/reference-types';

/** Field ids by column; a missing column is ignored. */
export type ColumnMapping = Readonly<Record<string, number>>;
export type MappedField = Pick<SchemaFieldView, 'fieldId' | 'name' | 'isPrimaryKey'>;

export interface MappingProblems {
  /** Names of key fields without a column. */
  missingKeys: string[];
  /** Fields with several columns, by name. */
  repeated: { field: string; columns: string[] }[];
}

export function mappingProblems(mapping: ColumnMapping, fields: readonly MappedField[]): MappingProblems {
  const columnsOf = (fieldId: number) =>
    Object.entries(mapping).flatMap(([column, id]) => (id === fieldId ? [column] : []));
  return {
    missingKeys: fields.flatMap(({ fieldId, name, isPrimaryKey }) =>
      isPrimaryKey && columnsOf(fieldId).length === 0 ? [name] : [],
    ),
    repeated: fields.flatMap(({ fieldId, name }) => {
      const columns = columnsOf(fieldId);
      return columns.length > 1 ? [{ field: name, columns }] : [];
    }),
  };
}

export const isComplete = ({ missingKeys, repeated }: MappingProblems): boolean =>
  missingKeys.length === 0 && repeated.length === 0;

/** The mapping with one column assigned to another field, or to none. */
export function withColumn(mapping: ColumnMapping, column: string, fieldId: number | undefined): ColumnMapping {
  const { [column]: _, ...others } = mapping;
  return fieldId === undefined ? others : { ...others, [column]: fieldId };
}

/** The first distinct values of a column that are not empty. */
export function samplesOf(sample: readonly (readonly string[])[], column: number, most = 3): string[] {
  const values = sample.map((row) => row[column] ?? '').filter((value) => value !== '');
  return [...new Set(values)].slice(0, most);
}
