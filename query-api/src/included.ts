/** What a data set or a crosswalk holds, where it is asked for beside it: the first rows, in the same statement. */
import { type DATA_SET_INCLUDES, INCLUDED_ROWS_MAX } from '@rdm/contracts';
import { z } from 'zod';
import { instanceList } from './instances.ts';
import { everyFind } from './list.ts';
import type { Tables } from './read-models.ts';
import type { ReadableDataSet } from './readable-data-set.ts';
import { type Sql, sql } from './sql.ts';

/** Query of what answers one thing, and more of it when asked. */
export const IncludeQuery = z.object({
  asOf: z.string().max(100).optional(),
  include: z.string().max(1_000).optional(),
});

/** Columns beside a data set: of its first rows, their cells by name and their keys. */
export function dataSetIncludes(
  tables: Tables,
  dataSet: ReadableDataSet,
): Record<(typeof DATA_SET_INCLUDES)[number], Sql> {
  const list = instanceList(tables, dataSet, {});
  const rows = everyFind({}, list, sql`${list.columns['data']} AS data, ${list.columns['key']} AS key`);
  const listed = (each: Sql) =>
    sql`(SELECT coalesce(json_agg(${each}), '[]') FROM (${rows} LIMIT ${INCLUDED_ROWS_MAX}::bigint) i)`;
  return { data: listed(sql`i.data`), extractedValues: listed(sql`i.key`) };
}

/** Column beside a crosswalk: its first mapping values. */
export const includedMappings = (tables: Tables, id: number): Sql =>
  sql`(SELECT coalesce(json_agg(json_build_object('id', m.id, 'sourceValue', m.source_value, 'targetValue', m.target_value,
      'confidence', m.confidence, 'status', m.approval_status, 'createdAt', m.created_at, 'createdBy', m.created_by,
      'submissionComment', m.submission_comment) ORDER BY m.id), '[]')
    FROM (SELECT * FROM ${tables('crosswalk_mapping_values')} v
      WHERE v.crosswalk_id = ${id}::bigint AND NOT v.deleted ORDER BY v.id LIMIT ${INCLUDED_ROWS_MAX}::bigint) m)`;
