/** What a data set or a crosswalk holds, where it is asked for beside it: the first rows, in the same statement. */
import { type DATA_SET_INCLUDES, INCLUDED_ROWS_MAX } from '@rdm/contracts';
import { z } from 'zod';
import type { Tables } from './read-models.ts';
import { displayedKey } from './row-keys.ts';
import { type Sql, sql, writtenNumber } from './sql.ts';

/** Query of what answers one thing, and more of it when asked. */
export const IncludeQuery = z.object({
  asOf: z.string().max(100).optional(),
  include: z.string().max(1_000).optional(),
});

/** Columns beside a data set `d` of a type `t`: of its first rows, their cells by name and their keys. */
export function dataSetIncludes(tables: Tables, id: number): Record<(typeof DATA_SET_INCLUDES)[number], Sql> {
  // Written out: the partition is then known when the statement is planned.
  const rows = sql`(SELECT i.id, i.key, i.data FROM ${tables('instances')} i
    WHERE i.data_set_id = ${writtenNumber(id)} AND NOT i.deleted ORDER BY i.id LIMIT ${INCLUDED_ROWS_MAX}::bigint) i`;
  const cells = sql`(SELECT coalesce(json_object_agg(f ->> 'name', i.data -> (f ->> 'fieldId') ORDER BY place), '{}')
    FROM jsonb_array_elements(t.fields) WITH ORDINALITY fields (f, place) WHERE NOT (f ->> 'retired')::boolean)`;
  const listed = (each: Sql) => sql`(SELECT coalesce(json_agg(${each} ORDER BY i.id), '[]') FROM ${rows})`;
  return { data: listed(cells), extractedValues: listed(displayedKey(sql`i.key`)) };
}

/** Column beside a crosswalk: its first mapping values. */
export const includedMappings = (tables: Tables, id: number): Sql =>
  sql`(SELECT coalesce(json_agg(json_build_object('id', m.id, 'sourceValue', m.source_value, 'targetValue', m.target_value,
      'confidence', m.confidence, 'status', m.approval_status, 'createdAt', m.created_at, 'createdBy', m.created_by,
      'submissionComment', m.submission_comment) ORDER BY m.id), '[]')
    FROM (SELECT * FROM ${tables('crosswalk_mapping_values')} v
      WHERE v.crosswalk_id = ${id}::bigint AND NOT v.deleted ORDER BY v.id LIMIT ${INCLUDED_ROWS_MAX}::bigint) m)`;
