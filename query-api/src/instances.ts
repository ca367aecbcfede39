/** Instances of a data set: the typed list, one row and its history. */
import {
  BUCKETS,
  type CellValue,
  canonicalKey,
  type DataType,
  HistoryQuery,
  type InstanceHistoryView,
  type InstanceView,
  keyFromText,
  ListQuery,
  Refusal,
  type TypeField,
} from '@rdm/contracts';
import { cellText, idParam, keyOrder, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { fieldsAsked } from './asked-names.ts';
import { openCommonWords } from './common-words.ts';
import type { CommonWords } from './filter/common-words.ts';
import type { FieldMap, FieldSql } from './filter/compile.ts';
import { cellField } from './filter/fields.ts';
import type { Floor } from './floor.ts';
import { historyPage } from './history-page.ts';
import { everyFind, type ListDefinition, listJsonProvided, oneRow } from './list.ts';
import type { SortPart } from './order.ts';
import { answer, type Tables } from './read-models.ts';
import { openDataSetReads, type ReadableDataSet, readableDataSet } from './readable-data-set.ts';
import { displayedKey } from './row-keys.ts';
import { touchedLastBy } from './selections.ts';
import { join, type Sql, sameIndexedText, sql, written, writtenNumber } from './sql.ts';
import { viewerOf } from './viewer.ts';

const InstanceQuery = ListQuery.extend({
  key: z.string().max(100_000).optional(),
  /** Rows that were deleted, instead of those that are there. */
  deleted: z.enum(['true', 'false']).optional(),
});

/** json_build_object and jsonb_build_object take at most 100 arguments. */
const FIELDS_PER_CALL = 50;

/** A row's cells by field name: written as text at once where one call takes all fields. */
function dataByName(fields: readonly TypeField[]): Sql {
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

/** Whether a search can find a value of a type: asking the others in vain would keep the indexes from answering. */
const CAN_HOLD: Record<DataType, (q: string) => boolean> = {
  string: () => true,
  number: (q) => /^[-.\d]+$/.test(q),
  boolean: (q) => ['true', 'false'].some((word) => word.includes(q.toLowerCase())),
  date: (q) => /^[-\d]+$/.test(q),
};

/** What is shown of every row beside its cells. */
const SHOWN_OF_ALL = ['id', 'revision', 'key', 'data', 'createdAt', 'updatedAt', 'updatedBy'] as const;

/** The order of the key: of one field as a list is sorted by that field, of several by each of them in turn. */
function keySort(
  dataSet: Pick<ReadableDataSet, 'keyFieldIds' | 'fields'>,
  fields: FieldMap,
): FieldSql | { by: readonly SortPart[] } {
  const keyFields = dataSet.keyFieldIds.flatMap((id) => dataSet.fields.find(({ fieldId }) => fieldId === id) ?? []);
  const only = keyFields.length === 1 ? fields.get(keyFields[0]?.name ?? '') : undefined;
  if (only) return only;
  const order = keyOrder('i.data', keyFields);
  return { by: order.map(({ expression, type }) => ({ sql: written(expression), type: written(type) })) };
}

/** The rows of a data set as a list, or those that were deleted; `fields` names those of its fields that are shown. */
export function instanceList(
  tables: Tables,
  dataSet: ReadableDataSet,
  asked: { fields?: string | undefined; deleted?: 'true' | 'false' | undefined },
  common?: (fieldId: number) => CommonWords,
): ListDefinition {
  const isOfDeleted = asked.deleted === 'true';
  const cells = dataSet.fields.map(({ name }) => name);
  const wanted = new Set<string>(fieldsAsked(asked.fields, [...cells, ...SHOWN_OF_ALL]));
  const some = dataSet.fields.filter((field) => wanted.has(field.name));
  const cellOf = ({ fieldId, dataType }: TypeField) =>
    cellField('i.data', fieldId, dataType, common && (() => common(fieldId)));
  // A type's own names win over those that every row has.
  const fields = new Map<string, FieldSql>([
    ['id', { sql: sql`i.id::numeric`, dataType: 'number', label: 'Id', sortedBy: sql`i.id`, required: true }],
    [
      'orderOfEntry',
      {
        sql: sql`(i.id / ${writtenNumber(BUCKETS)})::numeric`,
        dataType: 'number',
        label: 'Order of entry',
        sortedBy: sql`i.id`,
        required: true,
      },
    ],
    ['revision', { sql: sql`i.revision::numeric`, dataType: 'number', label: 'Revision', required: true }],
    ['key', { sql: displayedKey(sql`i.key`), dataType: 'string', label: 'Key', required: true }],
    ['createdAt', { sql: sql`i.created_at`, dataType: 'datetime', label: 'Created', required: true }],
    ['updatedAt', { sql: sql`i.updated_at`, dataType: 'datetime', label: 'Updated', required: true }],
    ['updatedBy', { sql: sql`i.updated_by::numeric`, dataType: 'number', label: 'Updated by' }],
    ['jobId', { sql: sql`i.job_id::numeric`, dataType: 'number', label: 'Import job' }],
  ]);
  for (const field of dataSet.fields) {
    // Other types' needles may be written in several ways, their keys in one.
    const isTextKey =
      field.dataType === 'string' && dataSet.keyFieldIds.length === 1 && dataSet.keyFieldIds[0] === field.fieldId;
    const cell: FieldSql = {
      ...cellOf(field),
      label: field.name,
      ...(isTextKey && { indexedBy: (text: string) => sameIndexedText(sql`i.key`, canonicalKey([text])) }),
    };
    // A key that is one text is shown as that text, whose field is indexed.
    if (isTextKey) fields.set('key', { ...cell, label: 'Key', required: true });
    fields.set(field.name, { ...cell, required: isTextKey });
  }
  return {
    from: sql`${tables('instances')} i`,
    // Written out: the partition is then known when the statement is planned.
    where: sql`i.data_set_id = ${written(String(dataSet.id))} AND ${isOfDeleted ? sql`i.deleted` : sql`NOT i.deleted`}`,
    columns: {
      id: sql`i.id`,
      revision: sql`i.revision`,
      key: displayedKey(sql`i.key`),
      data: dataByName(some.length > 0 ? some : dataSet.fields),
      createdAt: sql`i.created_at`,
      updatedAt: sql`i.updated_at`,
      updatedBy: sql`i.updated_by`,
    } satisfies Record<(typeof SHOWN_OF_ALL)[number], Sql>,
    cells,
    always: ['id', 'revision', 'key', 'data'],
    fields,
    search: (q) =>
      dataSet.fields
        .filter(({ dataType }) => CAN_HOLD[dataType](q))
        .map((field) => cellOf(field).indexed ?? written(cellText('i.data', field.fieldId))),
    id: sql`i.id`,
    fetchedById: true,
    defaultSort: { order: 'ASC', ...keySort(dataSet, fields) },
    ...(tables.asOf === undefined && {
      counted: isOfDeleted
        ? undefined
        : sql`coalesce((SELECT n.instances FROM ${tables('data_set_counts')} n WHERE n.data_set_id = ${dataSet.id}), 0)`,
      version: sql`coalesce((SELECT n.valid_from FROM ${tables('data_set_counts')} n WHERE n.data_set_id = ${dataSet.id}), 0)`,
    }),
  };
}

/** The list of each version of a data set as it was put together last: most requests ask for what the one before them did. */
function openInstanceLists({ pool, log }: Pick<Floor, 'pool' | 'log'>): typeof instanceList {
  const wordsOf = openCommonWords(pool, log);
  const known = new WeakMap<ReadableDataSet, { of: string; list: ListDefinition }>();
  return (tables, dataSet, asked) => {
    const common = (fieldId: number) => wordsOf(dataSet, fieldId);
    if (tables.asOf !== undefined) return instanceList(tables, dataSet, asked);
    // The tables, too, may be those of another build by now.
    const of = [
      asked.fields ?? '',
      asked.deleted ?? '',
      ...tables('instances').texts,
      ...tables('data_set_counts').texts,
    ].join(' ');
    const found = known.get(dataSet);
    if (found?.of === of) return found.list;
    const list = instanceList(tables, dataSet, asked, common);
    known.set(dataSet, { of, list });
    return list;
  };
}

/** The canonical key that `key=` names: the text of a single key, or a JSON array of a composite one's parts. */
function canonicalOf(text: string, { keyFieldIds, fields }: ReadableDataSet): string | undefined {
  const types = keyFieldIds.map((id) => fields.find((field) => field.fieldId === id)?.dataType ?? 'string');
  const read = keyFromText(text, types);
  if ('cells' in read) return canonicalKey(read.cells);
  if (read.malformed) throw new Refusal('INVALID', read.reason);
  return undefined;
}

type Version = Omit<InstanceHistoryView, 'changes'>;

/** What a version changed, by field name; a first version changed nothing. */
function changes(before: Version | undefined, { data }: Version) {
  if (!before) return {};
  const changed: Record<string, { from: CellValue; to: CellValue }> = {};
  for (const [name, to] of Object.entries(data)) {
    const from = before.data[name] ?? null;
    if (from !== to) changed[name] = { from, to };
  }
  return changed;
}

export const instanceRoutes = ({ readModels, freezable, pool, log }: Floor): Route[] => {
  freezable.set('instances', {
    async query({ body, ...request }, asked) {
      const dataSet = await readableDataSet(readModels, asked, viewerOf(request), body.parentId ?? 0);
      if (body.tab !== undefined && body.tab !== 'deleted') throw new Refusal('INVALID', 'Rows have no such tab');
      const deleted = body.tab === 'deleted' ? 'true' : 'false';
      return (tables) => {
        const list = instanceList(tables, dataSet, { deleted });
        const where = sql`${list.where} AND ${touchedLastBy(tables, sql`i.valid_from`, body.commandIds)}`;
        return everyFind(body, { ...list, where }, sql`i.id, i.revision`);
      };
    },
  });
  const readDataSet = openDataSetReads(readModels);
  const listOf = openInstanceLists({ pool, log });

  return [
    route(
      'get',
      '/api/reference-data/:id/instances',
      { level: 'READ' },
      { query: InstanceQuery, confirmsSession: true },
      (request) =>
        readDataSet(request, (dataSet, provided) => {
          const { key } = request.query;
          const canonical = key === undefined ? undefined : (canonicalOf(key, dataSet) ?? null);
          const define = (tables: Tables) => {
            const whole = listOf(tables, dataSet, request.query);
            if (canonical === undefined) return whole;
            const { counted: _, version: __, ...some } = whole;
            const isOne = request.query.deleted !== 'true';
            const where = sql`${whole.where} AND ${sameIndexedText(sql`i.key`, canonical)}`;
            // Several rows may have had the key, one after the other.
            return { ...some, where, findsOne: isOne };
          };
          return listJsonProvided(readModels, request, define, provided);
        }),
    ),

    route('get', '/api/reference-data/:id/instances/:instanceId', { level: 'READ' }, {}, async (request) => {
      const dataSet = await readableDataSet(readModels, request, viewerOf(request), idParam(request));
      const instanceId = idParam(request, 'instanceId');
      const found = await readModels.read<InstanceView>(request, (tables) =>
        oneRow(instanceList(tables, dataSet, {}), sql`i.id = ${instanceId}`),
      );
      return answer(found, found.one());
    }),

    route(
      'get',
      '/api/reference-data/:id/instances/:instanceId/history',
      { level: 'READ' },
      { query: HistoryQuery },
      async (request) => {
        const dataSet = await readableDataSet(readModels, request, viewerOf(request), idParam(request));
        const instanceId = idParam(request, 'instanceId');
        const data = dataByName(dataSet.everyField);
        const found = await readModels.read<Version>(request, (tables) => {
          const columns = sql`i.valid_from AS seq, i.revision, i.updated_at AS at, i.updated_by AS "userId",
          i.job_id AS "jobId", i.deleted, ${data} AS data`;
          const one = sql`i.data_set_id = ${dataSet.id} AND i.id = ${instanceId}`;
          const until = tables.asOf === undefined ? sql`` : sql` AND i.valid_from <= ${tables.asOf}::bigint`;
          return sql`SELECT ${columns} FROM ${tables.current('instances_history')} i WHERE ${one}${until}
          UNION ALL SELECT ${columns} FROM ${tables.current('instances')} i WHERE ${one}${until} ORDER BY seq, revision`;
        });
        return historyPage(
          found,
          request.query,
          (version, before): InstanceHistoryView => ({ ...version, changes: changes(before, version) }),
        );
      },
    ),
  ];
};
