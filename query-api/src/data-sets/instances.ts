/** Routes of the instances of a data set: the list, a row and its history. */
import {
  type CellValue,
  canonicalKey,
  HistoryQuery,
  InstanceHistoryView,
  InstanceView,
  keyFromText,
  ListQuery,
  pageOf,
  Refusal,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { ACTING_KEY_COLUMNS, joinActingKey } from '../access/acting-key.ts';
import { findReadableDataSet, openDataSetReads, type ReadableDataSet } from '../access/readable-data-set.ts';
import { viewerOf } from '../access/viewer.ts';
import { dataByName, instanceList } from '../entities/instance-list.ts';
import { openCommonWords } from '../list/common-words.ts';
import { listJsonIf, matchingRows, oneRow } from '../list/list.ts';
import type { ListDefinition } from '../list/list-definition.ts';
import { lastChangedBy } from '../list/selections.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { sameIndexedText, sql } from '../read-models/sql.ts';
import { toHistoryPage } from '../review/history-page.ts';

const InstanceQuery = ListQuery.extend({
  key: z
    .string()
    .max(100_000)
    .optional()
    .describe('The key of the row to find: its text, or a JSON array for a key of several fields.'),
  deleted: z.enum(['true', 'false']).optional().describe('Whether to list deleted rows, instead of the current ones.'),
});

/** Caches the last list definition of each data set: most requests need the same definition as the request before. */
function openInstanceLists({ pool, log }: Pick<QueryContext, 'pool' | 'log'>): typeof instanceList {
  const wordsOf = openCommonWords(pool, log);
  const cached = new WeakMap<ReadableDataSet, { key: string; list: ListDefinition }>();
  return (tables, dataSet, query) => {
    const common = (fieldId: number) => wordsOf(dataSet, fieldId);
    if (tables.asOf !== undefined) return instanceList(tables, dataSet, query);
    // The cache key includes the tables, because a new build of the read models has other schemas.
    const key = [
      query.fields ?? '',
      query.deleted ?? '',
      ...tables('instances').texts,
      ...tables('data_set_counts').texts,
    ].join(' ');
    const entry = cached.get(dataSet);
    if (entry?.key === key) return entry.list;
    const list = instanceList(tables, dataSet, query, common);
    cached.set(dataSet, { key, list });
    return list;
  };
}

/**
 * Returns the canonical key for the parameter `key`; undefined if no row can have this key. Throws an INVALID refusal
 * if the text is malformed.
 */
function canonicalOf(text: string, { keyFieldIds, fields }: ReadableDataSet): string | undefined {
  const types = keyFieldIds.map((id) => fields.find((field) => field.fieldId === id)?.dataType ?? 'string');
  const read = keyFromText(text, types);
  if ('cells' in read) return canonicalKey(read.cells);
  if (read.malformed) throw new Refusal('INVALID', read.reason);
  return undefined;
}

type Version = Omit<InstanceHistoryView, 'changes'>;

/** Returns the changes of a version, by field name; the first version has none. */
function changesOf(before: Version | undefined, { data }: Version) {
  if (!before) return {};
  const changed: Record<string, { from: CellValue; to: CellValue }> = {};
  for (const [name, to] of Object.entries(data)) {
    const from = before.data[name] ?? null;
    if (from !== to) changed[name] = { from, to };
  }
  return changed;
}

export const instanceRoutes = ({ readModels, freezable, pool, log }: QueryContext): Route[] => {
  freezable.set('instances', {
    async query({ body, ...request }, readRequest) {
      const dataSet = await findReadableDataSet(readModels, readRequest, viewerOf(request), body.parentId ?? 0);
      if (body.tab !== undefined && body.tab !== 'deleted') throw new Refusal('INVALID', 'Rows have no such tab');
      const deleted = body.tab === 'deleted' ? 'true' : 'false';
      return (tables) => {
        const list = instanceList(tables, dataSet, { deleted });
        const where = sql`${list.where} AND ${lastChangedBy(tables, sql`i.valid_from`, body.commandIds)}`;
        return matchingRows(body, { ...list, where }, sql`i.id, i.revision`);
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
      {
        summary: 'List the rows of a data set',
        answers: { 200: pageOf(InstanceView) },
        query: InstanceQuery,
        confirmsSession: true,
      },
      (request) =>
        readDataSet(request, (dataSet, provided) => {
          const { key } = request.query;
          const canonical = key === undefined ? undefined : (canonicalOf(key, dataSet) ?? null);
          const define = (tables: Tables): ListDefinition => {
            const wholeList = listOf(tables, dataSet, request.query);
            if (canonical === undefined) return wholeList;
            const { totalCount: _, version: __, ...uncounted } = wholeList;
            const where = sql`${wholeList.where} AND ${sameIndexedText(sql`i.key`, canonical)}`;
            // Several deleted rows may have had the same key.
            return { ...uncounted, where, hasAtMostOne: request.query.deleted !== 'true' };
          };
          return listJsonIf(readModels, request, define, provided);
        }),
    ),

    route(
      'get',
      '/api/reference-data/:id/instances/:instanceId',
      { level: 'READ' },
      { summary: 'Read a row', example: { params: { instanceId: 5166 } }, answers: { 200: InstanceView } },
      async (request) => {
        const dataSet = await findReadableDataSet(readModels, request, viewerOf(request), idParam(request));
        const instanceId = idParam(request, 'instanceId');
        const row = await readModels.read<InstanceView>(request, (tables) =>
          oneRow(instanceList(tables, dataSet, {}), sql`i.id = ${instanceId}`),
        );
        return answer(row, row.one());
      },
    ),

    route(
      'get',
      '/api/reference-data/:id/instances/:instanceId/history',
      { level: 'READ' },
      {
        summary: 'List the versions of a row',
        example: { params: { instanceId: 5166 } },
        answers: { 200: pageOf(InstanceHistoryView) },
        query: HistoryQuery,
      },
      async (request) => {
        const dataSet = await findReadableDataSet(readModels, request, viewerOf(request), idParam(request));
        const instanceId = idParam(request, 'instanceId');
        const data = dataByName(dataSet.allFields);
        const versions = await readModels.read<Version>(request, (tables) => {
          const columns = sql`i.valid_from AS seq, i.revision, i.updated_at AS at, i.updated_by AS "userId",
          i.job_id AS "jobId", i.deleted, ${data} AS data`;
          const isRow = sql`i.data_set_id = ${dataSet.id} AND i.id = ${instanceId}`;
          const until = tables.asOf === undefined ? sql`` : sql` AND i.valid_from <= ${tables.asOf}::bigint`;
          return sql`SELECT v.*, ${ACTING_KEY_COLUMNS} FROM (
            SELECT ${columns} FROM ${tables.current('instances_history')} i WHERE ${isRow}${until}
            UNION ALL SELECT ${columns} FROM ${tables.current('instances')} i WHERE ${isRow}${until}) v
            ${joinActingKey(tables, sql`v.seq`)} ORDER BY v.seq, v.revision`;
        });
        return toHistoryPage(
          versions,
          request.query,
          (version, before): InstanceHistoryView => ({
            ...version,
            // A row keeps the job of its last import, so an import wrote only the first version with this job.
            jobId: version.jobId === before?.jobId ? null : version.jobId,
            changes: changesOf(before, version),
          }),
        );
      },
    ),
  ];
};
