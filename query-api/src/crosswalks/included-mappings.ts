/** The first mappings of a crosswalk, as the column that `include` adds. */
import { INCLUDED_ROWS_MAX } from '@rdm/contracts';
import type { Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

export const includedMappings = (tables: Tables, id: number): Sql =>
  sql`(SELECT coalesce(json_agg(json_build_object('id', m.id, 'sourceValue', m.source_value, 'targetValue', m.target_value,
      'confidence', m.confidence, 'status', m.approval_status, 'createdAt', m.created_at, 'createdBy', m.created_by,
      'submissionComment', m.submission_comment) ORDER BY m.id), '[]')
    FROM (SELECT * FROM ${tables('crosswalk_mapping_values')} v
      WHERE v.crosswalk_id = ${id}::bigint AND NOT v.deleted ORDER BY v.id LIMIT ${INCLUDED_ROWS_MAX}::bigint) m)`;
