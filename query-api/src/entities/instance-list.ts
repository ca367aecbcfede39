/** The list of instances of a data set: columns, filterable fields, search and order. */
import { BUCKETS, canonicalKey, type DataType, INSTANCE_LIST_FIELDS, type TypeField } from '@rdm/contracts';
import { cellText, keyOrder } from '@rdm/platform';
import type { ReadableDataSet } from '../access/readable-data-set.ts';
import { displayedKey } from '../access/row-keys.ts';
import { requestedFields } from '../http/requested-names.ts';
import type { CommonWords } from '../list/filter/common-words.ts';
import type { FieldMap, FieldSql } from '../list/filter/compile.ts';
import { cellField } from '../list/filter/fields.ts';
import type { ListDefinition, SortPart } from '../list/list-definition.ts';
import type { Tables } from '../read-models/read-models.ts';
import { join, numberLiteral, rawSql, type Sql, sameIndexedText, sql } from '../read-models/sql.ts';

/** json_build_object and jsonb_build_object take at most 100 arguments. */
const FIELDS_PER_CALL = 50;

/** The cells of a row by field name: as jsonb if several calls are joined, else as json, which needs no conversion. */
export function dataByName(fields: readonly TypeField[]): Sql {
  const objects: Sql[] = [];
  const build = fields.length <= FIELDS_PER_CALL ? sql`json_build_object` : sql`jsonb_build_object`;
  for (let start = 0; start < fields.length; start += FIELDS_PER_CALL) {
    const pairs = fields
      .slice(start, start + FIELDS_PER_CALL)
      .map(({ fieldId, name }) => sql`${name}::text, i.data -> ${String(fieldId)}::text`);
    objects.push(sql`${build}(${join(pairs, ', ')})`);
  }
  return objects.length === 0 ? sql`'{}'::json` : join(objects, ' || ');
}

/** Whether cells of a data type can contain `q`. Other cells are not searched, so that the indexes can be used. */
const CAN_CONTAIN: Record<DataType, (q: string) => boolean> = {
  string: () => true,
  number: (q) => /^[-.\d]+$/.test(q),
  boolean: (q) => ['true', 'false'].some((word) => word.includes(q.toLowerCase())),
  date: (q) => /^[-\d]+$/.test(q),
};

/** Columns that every row has in addition to its cells. */
const COMMON_COLUMNS = ['id', 'revision', 'key', 'data', 'createdAt', 'updatedAt', 'updatedBy'] as const;

/** The sort by key: a key of one field is sorted like this field, a key of several fields by each field in turn. */
function keySort(
  dataSet: Pick<ReadableDataSet, 'keyFieldIds' | 'fields'>,
  fields: FieldMap,
): FieldSql | { by: readonly SortPart[] } {
  const keyFields = dataSet.keyFieldIds.flatMap((id) => dataSet.fields.find(({ fieldId }) => fieldId === id) ?? []);
  const only = keyFields.length === 1 ? fields.get(keyFields[0]?.name ?? '') : undefined;
  if (only) return only;
  const order = keyOrder('i.data', keyFields);
  return { by: order.map(({ expression, type }) => ({ sql: rawSql(expression), type: rawSql(type) })) };
}

/** The list of instances or of deleted instances. `query.fields` names the fields to return. */
export function instanceList(
  tables: Tables,
  dataSet: ReadableDataSet,
  query: { fields?: string | undefined; deleted?: 'true' | 'false' | undefined },
  commonWordsOf?: (fieldId: number) => CommonWords,
): ListDefinition {
  const isOfDeleted = query.deleted === 'true';
  const cells = dataSet.fields.map(({ name }) => name);
  const wanted = new Set<string>(requestedFields(query.fields, [...cells, ...COMMON_COLUMNS]));
  const requestedFieldList = dataSet.fields.filter((field) => wanted.has(field.name));
  const cellOf = ({ fieldId, dataType }: TypeField) =>
    cellField('i.data', fieldId, dataType, commonWordsOf && (() => commonWordsOf(fieldId)));
  // A field of the type has priority over a common column with the same name.
  const fields = new Map<string, FieldSql>([
    ['id', { ...INSTANCE_LIST_FIELDS.id, sql: sql`i.id::numeric`, sortedBy: sql`i.id`, isRequired: true }],
    [
      'orderOfEntry',
      {
        ...INSTANCE_LIST_FIELDS.orderOfEntry,
        sql: sql`(i.id / ${numberLiteral(BUCKETS)})::numeric`,
        sortedBy: sql`i.id`,
        isRequired: true,
      },
    ],
    ['revision', { ...INSTANCE_LIST_FIELDS.revision, sql: sql`i.revision::numeric`, isRequired: true }],
    ['key', { ...INSTANCE_LIST_FIELDS.key, sql: displayedKey(sql`i.key`), isRequired: true }],
    ['createdAt', { ...INSTANCE_LIST_FIELDS.createdAt, sql: sql`i.created_at`, isRequired: true }],
    ['updatedAt', { ...INSTANCE_LIST_FIELDS.updatedAt, sql: sql`i.updated_at`, isRequired: true }],
    ['updatedBy', { ...INSTANCE_LIST_FIELDS.updatedBy, sql: sql`i.updated_by::numeric` }],
    ['jobId', { ...INSTANCE_LIST_FIELDS.jobId, sql: sql`i.job_id::numeric` }],
  ]);
  for (const field of dataSet.fields) {
    // Filters use the indexed key instead of the cell only for text: a number or date can be written in several ways,
    // but has one form in a key.
    const isTextKey =
      field.dataType === 'string' && dataSet.keyFieldIds.length === 1 && dataSet.keyFieldIds[0] === field.fieldId;
    const cell: FieldSql = {
      ...cellOf(field),
      label: field.name,
      ...(isTextKey && { indexedBy: (text: string) => sameIndexedText(sql`i.key`, canonicalKey([text])) }),
    };
    // A key of one text field equals the text of the field, which is indexed.
    if (isTextKey) fields.set('key', { ...cell, label: INSTANCE_LIST_FIELDS.key.label, isRequired: true });
    fields.set(field.name, { ...cell, isRequired: isTextKey });
  }
  return {
    from: sql`${tables('instances')} i`,
    // The id is a literal, so that the planner knows the partition.
    where: sql`i.data_set_id = ${rawSql(String(dataSet.id))} AND ${isOfDeleted ? sql`i.deleted` : sql`NOT i.deleted`}`,
    columns: {
      id: sql`i.id`,
      revision: sql`i.revision`,
      key: displayedKey(sql`i.key`),
      data: dataByName(requestedFieldList.length > 0 ? requestedFieldList : dataSet.fields),
      createdAt: sql`i.created_at`,
      updatedAt: sql`i.updated_at`,
      updatedBy: sql`i.updated_by`,
    } satisfies Record<(typeof COMMON_COLUMNS)[number], Sql>,
    cells,
    alwaysSelected: ['id', 'revision', 'key', 'data'],
    fields,
    search: (q) =>
      dataSet.fields
        .filter(({ dataType }) => CAN_CONTAIN[dataType](q))
        .map((field) => cellOf(field).indexed ?? rawSql(cellText('i.data', field.fieldId))),
    id: sql`i.id`,
    isFetchedById: true,
    defaultSort: { order: 'ASC', ...keySort(dataSet, fields) },
    ...(tables.asOf === undefined && {
      totalCount: isOfDeleted
        ? undefined
        : sql`coalesce((SELECT n.instances FROM ${tables('data_set_counts')} n WHERE n.data_set_id = ${dataSet.id}), 0)`,
      version: sql`coalesce((SELECT n.valid_from FROM ${tables('data_set_counts')} n WHERE n.data_set_id = ${dataSet.id}), 0)`,
    }),
  };
}
