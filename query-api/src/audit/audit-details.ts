/** Columns of an audit row `a` that are computed when the row is read. */
import { AUDIT_RECORD_NAMES_MAX, type AuditLogView } from '@rdm/contracts';
import { displayedKey } from '../access/row-keys.ts';
import type { Tables } from '../read-models/read-models.ts';
import { all, type Sql, sql } from '../read-models/sql.ts';
import { allVersions } from '../review/versions.ts';

/** The data sets that govern an event, and its crosswalk, relationship or collection, with their current names. */
export function businessContext(tables: Tables): Sql {
  const dataSets = sql`(SELECT json_agg(json_build_object('id', of_event.id, 'name', d.name) ORDER BY of_event.place)
    FROM unnest(a.data_set_ids) WITH ORDINALITY of_event (id, place)
    LEFT JOIN ${tables('reference_data_sets')} d ON d.id = of_event.id)`;
  const subject = (table: Sql, isOf: Sql) => sql`CASE WHEN ${isOf} THEN json_build_object('id', a.entity_id,
    'name', (SELECT named.name FROM ${table} named WHERE named.id = a.entity_id)) END`;
  return sql`nullif(json_strip_nulls(json_build_object('dataSets', ${dataSets},
    'crosswalk', ${subject(tables('crosswalk_mappings'), isOfCrosswalk)},
    'relationship', ${subject(tables('relationships'), isOfRelationship)},
    'collection', ${subject(tables('reference_data_collections'), sql`a.entity_type = 'collection'`)}))::jsonb, '{}')`;
}

const isOfCrosswalk = sql`a.entity_type IN ('crosswalk', 'mappings', 'missingMappings')`;
const isOfRelationship = sql`a.entity_type IN ('relationship', 'relationshipValues')`;

/** The job whose events have the same correlation id as `a`. */
const jobOf = (tables: Tables): Sql => sql`(SELECT r.entity_id FROM ${tables('audit_logs')} r
  WHERE r.correlation_id = a.correlation_id AND r.type IN ('ImportRequested', 'BulkDecisionRequested') LIMIT 1)`;

export const operationMetadata = (tables: Tables): Sql => sql`(
  SELECT json_build_object('commandId', a.causation_id, 'jobId', job.id, 'fileId', j.file_id, 'fileName', f.file_name,
    'undoes', j.undone_job_id)
  FROM (SELECT ${jobOf(tables)} AS id) job
  LEFT JOIN ${tables('import_jobs')} j ON j.job_id = job.id
  LEFT JOIN command.staged_files f ON f.id = j.file_id)`;

type VersionedTable = Parameters<typeof allVersions>[1];

/** The versions that the event of `a` created: their `valid_from` is the seq of the event. */
function versions(tables: Tables, table: VersionedTable, parent: Sql | undefined, columns: Sql): Sql {
  const ids = parent === undefined ? sql`id = a.entity_id` : sql`${parent} = a.entity_id AND id = ANY(a.record_ids)`;
  return allVersions(tables, table, columns, all([ids, sql`valid_from = a.seq`]));
}

type ApprovalColumn =
  | 'approvalType'
  | 'batchId'
  | 'recordNames'
  | 'filterCriteria'
  | 'approvalMethod'
  | 'processingTime';

/** Columns that only rows of the kind `approvals` have; null in other rows. */
export function approvalColumns(tables: Tables): Record<ApprovalColumn & keyof AuditLogView, Sql> {
  const ofApprovals = (column: Sql) => sql`CASE WHEN a.kind = 'approvals' THEN ${column} END`;
  /** An aggregate over the versions `v` that the event created. */
  const ofVersions = (columns: (name: Sql) => Sql, aggregate: Sql) => {
    const from = (table: VersionedTable, name: Sql, parent?: Sql) =>
      sql`(SELECT ${aggregate} FROM (${versions(tables, table, parent, columns(name))}) v)`;
    return ofApprovals(sql`CASE a.entity_type
      WHEN 'crosswalk' THEN ${from('crosswalk_mappings', sql`name`)}
      WHEN 'mappings' THEN ${from('crosswalk_mapping_values', sql`concat(source_value, ' → ', target_value)`, sql`crosswalk_id`)}
      WHEN 'relationship' THEN ${from('relationships', sql`name`)}
      WHEN 'relationshipValues' THEN ${from('relationship_values', rowNames(tables), sql`relationship_id`)} END`);
  };
  return {
    approvalType: ofApprovals(sql`CASE a.entity_type WHEN 'crosswalk' THEN 'CROSSWALK' WHEN 'mappings' THEN 'MAPPING'
      WHEN 'relationship' THEN 'RELATIONSHIP' WHEN 'relationshipValues' THEN 'RELATIONSHIP_VALUE' END`),
    batchId: ofVersions(() => sql`batch_id`, sql`CASE WHEN count(DISTINCT v.batch_id) = 1 THEN min(v.batch_id) END`),
    recordNames: ofVersions(
      (name) => sql`id, ${name} AS name`,
      sql`(array_agg(v.name ORDER BY v.id))[1:${AUDIT_RECORD_NAMES_MAX}::integer]`,
    ),
    filterCriteria: ofApprovals(
      sql`(SELECT s.criteria FROM command.selection_criteria s WHERE s.command_id = a.causation_id)`,
    ),
    approvalMethod: ofApprovals(sql`CASE WHEN ${jobOf(tables)} IS NOT NULL THEN 'JOB'
      WHEN (SELECT sum(b.affected_record_count) FROM ${tables('audit_logs')} b WHERE b.causation_id = a.causation_id) > 1
      THEN 'BULK' ELSE 'SINGLE' END`),
    processingTime: ofVersions(
      () => sql`submitted_at`,
      sql`CASE WHEN a.type ~ '(Approved|Rejected)$'
        THEN (extract(epoch FROM a.at - min(v.submitted_at)) * 1000)::bigint END`,
    ),
  };
}

/** The keys of the source row and the target row of a relationship value, as the list of values shows them. */
function rowNames(tables: Tables): Sql {
  const key = (dataSetId: Sql, id: Sql) => sql`(SELECT ${displayedKey(sql`i.key`)} FROM ${tables('instances')} i
    WHERE i.data_set_id = ${dataSetId} AND i.id = ${id})`;
  // A relationship of a data set with itself has one governing data set.
  const [source, target] = [sql`a.data_set_ids[1]`, sql`a.data_set_ids[cardinality(a.data_set_ids)]`];
  return sql`concat(${key(source, sql`source_instance_id`)}, ' → ', ${key(target, sql`target_instance_id`)})`;
}
