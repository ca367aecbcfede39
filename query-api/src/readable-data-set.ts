/** A data set that the viewer may read, with its fields: what its instances, exports and selections start from. */
import type { TypeField } from '@rdm/contracts';
import type { Asked, ReadModels } from './read-models.ts';
import { sql } from './sql.ts';
import type { Viewer } from './viewer.ts';

export interface ReadableDataSet {
  id: number;
  name: string;
  typeId: number;
  createdBy: number | null;
  keyFieldIds: number[];
  /** Fields in use, in their order. */
  fields: TypeField[];
  /** All fields there ever were: history speaks of retired ones too. */
  everyField: TypeField[];
}

/** Answers 404 for one that may not be read. */
export async function readableDataSet(
  readModels: ReadModels,
  asked: Asked,
  viewer: Viewer,
  id: number,
): Promise<ReadableDataSet> {
  const found = await readModels.read<Omit<ReadableDataSet, 'fields'>>(
    asked,
    (
      tables,
    ) => sql`SELECT d.id, d.name, d.type_id AS "typeId", d.created_by AS "createdBy", d.key_field_ids AS "keyFieldIds", t.fields AS "everyField"
      FROM ${tables('reference_data_sets')} d JOIN ${tables('reference_data_types')} t ON t.id = d.type_id
      WHERE d.id = ${id} AND ${viewer.mayReadDataSet(sql`d.id`, sql`d.created_by`)}`,
  );
  const dataSet = found.one();
  return { ...dataSet, fields: dataSet.everyField.filter((field) => !field.retired) };
}
