/** Values of relationships: the list by tab, across relationships, of one row, their counts, histories and selections. */
import {
  type AnyRelationshipValueView,
  type CellValue,
  ListQuery,
  RELATIONSHIP_VALUE_TABS,
  Refusal,
  type RelationshipValueHistoryView,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import type { FieldSql } from './filter/compile.ts';
import { cellField } from './filter/fields.ts';
import type { Floor } from './floor.ts';
import { everyFind, type ListDefinition, listRows } from './list.ts';
import { type Asked, answer, type ReadModels, type Tables } from './read-models.ts';
import { readableDataSet } from './readable-data-set.ts';
import {
  findRelationship,
  labelField,
  type RelationshipHeader,
  readableEnds,
  relationshipsWithEnds,
} from './relationships.ts';
import { displayedKey } from './row-keys.ts';
import type { Freezable } from './selections.ts';
import { type Sql, sql } from './sql.ts';
import { type Viewer, viewerOf } from './viewer.ts';

const Tab = z.enum(RELATIONSHIP_VALUE_TABS);
type Tab = z.infer<typeof Tab>;
const ValuesQuery = ListQuery.extend({ tab: Tab.optional() });

/** One side of the values `v`: whose rows they lead to, and the field that says what those are called. */
interface Side {
  dataSetId: Sql;
  labelFieldId: Sql;
  /** Ids of the row that the working value and the served one lead to. */
  working: Sql;
  served: Sql;
}

const WORKING = { source: sql`v.source_instance_id`, target: sql`v.target_instance_id` };
const SERVED = {
  source: sql`(v.served ->> 'sourceInstanceId')::bigint`,
  target: sql`(v.served ->> 'targetInstanceId')::bigint`,
};

/** What a side shows of a row. */
const shownOf = (
  tables: Tables,
  side: Side,
  id: Sql,
  shown: Sql,
): Sql => sql`(SELECT ${shown} FROM ${tables('instances')} i
  WHERE i.data_set_id = ${side.dataSetId} AND i.id = ${id})`;
const keyOf = (tables: Tables, side: Side, id: Sql): Sql => shownOf(tables, side, id, displayedKey(sql`i.key`));
const labelOf = (tables: Tables, side: Side): Sql =>
  shownOf(tables, side, side.working, sql`i.data ->> (${side.labelFieldId})::text`);

/** Condition: no row of the data set has this id any more. */
const isGone = (
  tables: Tables,
  { dataSetId }: Side,
  id: Sql,
): Sql => sql`NOT EXISTS (SELECT 1 FROM ${tables('instances')} i
  WHERE i.data_set_id = ${dataSetId} AND i.id = ${id} AND NOT i.deleted)`;

/** Condition: the working value or the served one leads from or to a row that is gone. */
const isBroken = (tables: Tables, source: Side, target: Side): Sql => sql`(${isGone(tables, source, source.working)}
  OR ${isGone(tables, target, target.working)} OR v.served IS NOT NULL AND (${isGone(tables, source, source.served)}
  OR ${isGone(tables, target, target.served)}))`;

/** What a value says under its attributes, by name; those that were removed are not shown. */
const byName = (
  cells: Sql,
): Sql => sql`(SELECT coalesce(jsonb_object_agg(a ->> 'name', ${cells} -> (a ->> 'attributeId')), '{}')
  FROM jsonb_array_elements(r.attributes) a WHERE NOT (a ->> 'removed')::boolean)`;

interface Listed {
  from: Sql;
  where: Sql;
  source: Side;
  target: Side;
  attributes: RelationshipHeader['attributes'];
  tab: Tab | undefined;
}

/** Values `v` of relationships `r`. */
function definition(tables: Tables, { from, where, source, target, attributes, tab }: Listed): ListDefinition {
  const broken = isBroken(tables, source, target);
  const inTab =
    tab === undefined ? sql`true` : tab === 'broken' ? broken : sql`v.approval_status = ${tab.toUpperCase()}`;
  const [sourceKey, targetKey] = [keyOf(tables, source, source.working), keyOf(tables, target, target.working)];
  const [sourceLabel, targetLabel] = [labelOf(tables, source), labelOf(tables, target)];
  const fields = new Map<string, FieldSql>(
    Object.entries({
      id: { sql: sql`v.id::numeric`, dataType: 'number', label: 'Id' },
      sourceKey: { sql: sourceKey, dataType: 'string', label: 'Source' },
      targetKey: { sql: targetKey, dataType: 'string', label: 'Target' },
      sourceLabel: { sql: sourceLabel, dataType: 'string', label: 'Source label' },
      targetLabel: { sql: targetLabel, dataType: 'string', label: 'Target label' },
      sourceInstanceId: { sql: sql`v.source_instance_id::numeric`, dataType: 'number', label: 'Source row' },
      targetInstanceId: { sql: sql`v.target_instance_id::numeric`, dataType: 'number', label: 'Target row' },
      relationshipId: { sql: sql`v.relationship_id::numeric`, dataType: 'number', label: 'Relationship id' },
      status: { sql: sql`v.approval_status`, dataType: 'string', label: 'Status' },
      approvalStatus: { sql: sql`v.approval_status`, dataType: 'string', label: 'Approval status' },
      broken: { sql: broken, dataType: 'boolean', label: 'Broken' },
      deletionRequested: { sql: sql`v.deletion_requested`, dataType: 'boolean', label: 'Deletion requested' },
      createdBy: { sql: sql`v.created_by::numeric`, dataType: 'number', label: 'Created by' },
      submittedBy: { sql: sql`v.submitted_by::numeric`, dataType: 'number', label: 'Submitted by' },
      submittedAt: { sql: sql`v.submitted_at`, dataType: 'datetime', label: 'Submitted' },
      approvedBy: { sql: sql`v.approved_by::numeric`, dataType: 'number', label: 'Approved by' },
      approvedAt: { sql: sql`v.approved_at`, dataType: 'datetime', label: 'Approved' },
      rejectedBy: { sql: sql`v.rejected_by::numeric`, dataType: 'number', label: 'Rejected by' },
      rejectedAt: { sql: sql`v.rejected_at`, dataType: 'datetime', label: 'Rejected' },
      rejectionReason: { sql: sql`v.rejection_reason`, dataType: 'string', label: 'Reason' },
      comment: { sql: sql`v.comment`, dataType: 'string', label: 'Comment' },
      batchId: { sql: sql`v.batch_id`, dataType: 'string', label: 'Batch' },
      createdAt: { sql: sql`v.created_at`, dataType: 'datetime', label: 'Created' },
      updatedAt: { sql: sql`v.updated_at`, dataType: 'datetime', label: 'Updated' },
    }),
  );
  // The relationship's own names win over those that every value has.
  for (const { id, name, dataType } of attributes) {
    fields.set(name, { ...cellField('v.attributes', id, dataType), label: name });
  }
  return {
    from,
    where: sql`NOT v.deleted AND ${where} AND ${inTab}`,
    columns: {
      id: sql`v.id`,
      revision: sql`v.revision`,
      relationshipId: sql`v.relationship_id`,
      sourceInstanceId: sql`v.source_instance_id`,
      targetInstanceId: sql`v.target_instance_id`,
      sourceKey,
      targetKey,
      sourceLabel,
      targetLabel,
      sourceMissing: isGone(tables, source, source.working),
      targetMissing: isGone(tables, target, target.working),
      attributes: byName(sql`v.attributes`),
      status: sql`v.approval_status`,
      approvalStatus: sql`v.approval_status`,
      served: sql`CASE WHEN v.served IS NOT NULL THEN json_build_object(
        'sourceInstanceId', ${source.served}, 'targetInstanceId', ${target.served},
        'sourceKey', ${keyOf(tables, source, source.served)}, 'targetKey', ${keyOf(tables, target, target.served)},
        'attributes', ${byName(sql`(v.served -> 'attributes')`)}) END`,
      deletionRequested: sql`v.deletion_requested`,
      authors: sql`v.authors`,
      createdBy: sql`v.created_by`,
      createdAt: sql`v.created_at`,
      submittedBy: sql`v.submitted_by`,
      submittedAt: sql`v.submitted_at`,
      approvedBy: sql`v.approved_by`,
      approvedAt: sql`v.approved_at`,
      rejectedBy: sql`v.rejected_by`,
      rejectedAt: sql`v.rejected_at`,
      rejectionReason: sql`v.rejection_reason`,
      comment: sql`v.comment`,
      updatedBy: sql`v.updated_by`,
      updatedAt: sql`v.updated_at`,
    },
    always: ['id', 'revision', 'relationshipId', 'sourceInstanceId', 'targetInstanceId', 'sourceKey', 'targetKey'],
    fields,
    search: [sourceKey, targetKey, sourceLabel, targetLabel],
    id: sql`v.id`,
    fetchedById: true,
    defaultSort: { sql: sql`v.id`, dataType: 'number', order: 'ASC' },
  };
}

/** The values of one relationship. */
function valuesOf(tables: Tables, header: RelationshipHeader, tab: Tab | undefined): ListDefinition {
  return definition(tables, {
    from: sql`${tables('relationship_values')} v JOIN ${tables('relationships')} r ON r.id = v.relationship_id`,
    where: sql`v.relationship_id = ${header.id}::bigint`,
    source: {
      dataSetId: sql`${header.sourceDataSetId}::bigint`,
      labelFieldId: sql`${header.sourceLabelFieldId}::bigint`,
      working: WORKING.source,
      served: SERVED.source,
    },
    target: {
      dataSetId: sql`${header.targetDataSetId}::bigint`,
      labelFieldId: sql`${header.targetLabelFieldId}::bigint`,
      working: WORKING.target,
      served: SERVED.target,
    },
    attributes: header.attributes,
    tab,
  });
}

/** The values of every relationship that the viewer may read. */
function everyValue(tables: Tables, viewer: Viewer, tab: Tab | undefined, where: Sql = sql`true`): ListDefinition {
  const list = definition(tables, {
    from: sql`${relationshipsWithEnds(tables)} JOIN ${tables('relationship_values')} v ON v.relationship_id = r.id`,
    where: sql`${readableEnds(tables, viewer)} AND ${where}`,
    source: {
      dataSetId: sql`r.source_data_set_id`,
      labelFieldId: labelField(sql`s`, sql`st`, sql`r.source_field_id`),
      working: WORKING.source,
      served: SERVED.source,
    },
    target: {
      dataSetId: sql`r.target_data_set_id`,
      labelFieldId: labelField(sql`t`, sql`tt`, sql`r.target_field_id`),
      working: WORKING.target,
      served: SERVED.target,
    },
    attributes: [],
    tab,
  });
  return {
    ...list,
    columns: {
      ...list.columns,
      relationshipName: sql`r.name`,
      sourceDataSetId: sql`r.source_data_set_id`,
      targetDataSetId: sql`r.target_data_set_id`,
      sourceName: sql`s.name`,
      targetName: sql`t.name`,
    },
    fields: new Map([
      ...list.fields,
      ['relationshipName', { sql: sql`r.name`, dataType: 'string', label: 'Relationship' }],
      ['sourceName', { sql: sql`s.name`, dataType: 'string', label: 'Source data set' }],
      ['targetName', { sql: sql`t.name`, dataType: 'string', label: 'Target data set' }],
    ]),
  };
}

/** Condition: the row takes part in the value `v`, as it is or as it is asked for. */
const takesPart = (dataSetId: number, id: number): Sql => {
  const leads = (dataSet: Sql, working: Sql, served: Sql) =>
    sql`${dataSet} = ${dataSetId}::bigint AND (${working} = ${id}::bigint OR ${served} = ${id}::bigint)`;
  return sql`(${leads(sql`r.source_data_set_id`, WORKING.source, SERVED.source)}
    OR ${leads(sql`r.target_data_set_id`, WORKING.target, SERVED.target)})`;
};

/** GET …/values/counts: how many each tab lists. */
const countTabs = (readModels: ReadModels, asked: Asked, header: RelationshipHeader) =>
  readModels.read<Record<Tab, number>>(asked, (tables) => {
    const broken = valuesOf(tables, header, 'broken');
    return sql`SELECT coalesce(max(n.draft), 0) AS draft, coalesce(max(n.pending), 0) AS pending,
        coalesce(max(n.approved), 0) AS approved, coalesce(max(n.rejected), 0) AS rejected,
        (SELECT count(*) FROM ${broken.from} WHERE ${broken.where}) AS broken
      FROM ${tables('relationship_value_counts')} n WHERE n.relationship_id = ${header.id}::bigint`;
  });

/** Every version of a value, oldest first. */
const history = (readModels: ReadModels, asked: Asked, header: RelationshipHeader, id: number) =>
  readModels.read<Omit<RelationshipValueHistoryView, 'changes'>>(asked, (tables) => {
    const columns = sql`relationship_id, valid_from, revision, last_event, source_instance_id, target_instance_id,
      attributes, served, approval_status, updated_at, updated_by, comment`;
    const until = tables.asOf === undefined ? sql`` : sql` AND valid_from <= ${tables.asOf}::bigint`;
    const own = sql`relationship_id = ${header.id}::bigint AND id = ${id}::bigint${until}`;
    const side = (dataSetId: number, working: Sql): Side => ({
      dataSetId: sql`${dataSetId}::bigint`,
      labelFieldId: sql`NULL`,
      working,
      served: working,
    });
    const source = side(header.sourceDataSetId, WORKING.source);
    const target = side(header.targetDataSetId, WORKING.target);
    return sql`SELECT v.valid_from AS seq, v.revision, v.last_event AS type, v.updated_at AS timestamp,
        lag(v.approval_status) OVER (ORDER BY v.valid_from) AS "prevStatus", v.approval_status AS "newStatus",
        v.updated_by AS "userId", v.comment, v.source_instance_id AS "sourceInstanceId",
        v.target_instance_id AS "targetInstanceId", ${keyOf(tables, source, source.working)} AS "sourceKey",
        ${keyOf(tables, target, target.working)} AS "targetKey", ${byName(sql`v.attributes`)} AS attributes
      FROM (SELECT ${columns} FROM ${tables.current('relationship_values_history')} WHERE ${own}
        UNION ALL SELECT ${columns} FROM ${tables.current('relationship_values')} WHERE ${own}) v
      JOIN ${tables.current('relationships')} r ON r.id = v.relationship_id ORDER BY v.valid_from`;
  });

/** A version with what differs from the one before. */
function historyEntry(
  { comment, ...entry }: Omit<RelationshipValueHistoryView, 'changes'>,
  before: Omit<RelationshipValueHistoryView, 'changes'> | undefined,
): RelationshipValueHistoryView {
  const changes: Record<string, { from: CellValue; to: CellValue }> = {};
  const compare = (name: string, from: CellValue, to: CellValue) => {
    if (from !== to) changes[name] = { from, to };
  };
  if (before) {
    if (before.sourceInstanceId !== entry.sourceInstanceId) compare('source', before.sourceKey, entry.sourceKey);
    if (before.targetInstanceId !== entry.targetInstanceId) compare('target', before.targetKey, entry.targetKey);
    for (const [name, to] of Object.entries(entry.attributes)) compare(name, before.attributes[name] ?? null, to);
  }
  return {
    ...entry,
    ...(comment ? { comment } : {}),
    ...(Object.keys(changes).length > 0 ? { changes } : {}),
  };
}

/** A tab of values, frozen with the revisions seen. */
const freezableValues = (readModels: ReadModels): Freezable => ({
  async query(request, asked) {
    const { parentId, tab, filter, q } = request.body;
    if (parentId === undefined) throw new Refusal('INVALID', 'parentId must name a relationship');
    const chosen = tab === undefined ? undefined : Tab.parse(tab);
    const header = await findRelationship(readModels, asked, viewerOf(request), parentId);
    return (tables) => everyFind({ filter, q }, valuesOf(tables, header, chosen), sql`v.id, v.revision`);
  },
});

/** Rows of several relationships, each as it is. */
const asIs = (row: AnyRelationshipValueView): AnyRelationshipValueView => row;

export function relationshipValueRoutes({ readModels, freezable }: Floor): Route[] {
  freezable.set('relationship-values', freezableValues(readModels));
  return [
    route(
      'get',
      '/api/relationships/values',
      { route: '/relationships', level: 'READ' },
      { query: ValuesQuery },
      (request) => {
        const viewer = viewerOf(request);
        return listRows(readModels, request, (tables) => everyValue(tables, viewer, request.query.tab), asIs);
      },
    ),

    route('get', '/api/relationships/:id/values', { level: 'READ' }, { query: ValuesQuery }, async (request) => {
      const header = await findRelationship(readModels, request, viewerOf(request), idParam(request));
      return listRows(
        readModels,
        request,
        (tables) => valuesOf(tables, header, request.query.tab),
        (row) => row,
      );
    }),

    route('get', '/api/relationships/:id/values/counts', { level: 'READ' }, {}, async (request) => {
      const today: Asked = { minPosition: request.minPosition };
      const header = await findRelationship(readModels, today, viewerOf(request), idParam(request));
      const found = await countTabs(readModels, today, header);
      return answer(found, found.one());
    }),

    route('get', '/api/relationships/:id/values/:valueId/history', { level: 'READ' }, {}, async (request) => {
      const header = await findRelationship(readModels, request, viewerOf(request), idParam(request));
      const found = await history(readModels, request, header, idParam(request, 'valueId'));
      found.one();
      return answer(
        found,
        found.rows.map((version, index) => historyEntry(version, found.rows[index - 1])),
      );
    }),

    route(
      'get',
      '/api/reference-data/:id/instances/:instanceId/relationships',
      { level: 'READ' },
      { query: ListQuery },
      async (request) => {
        const viewer = viewerOf(request);
        const dataSet = await readableDataSet(readModels, request, viewer, idParam(request));
        const part = takesPart(dataSet.id, idParam(request, 'instanceId'));
        return listRows(readModels, request, (tables) => everyValue(tables, viewer, undefined, part), asIs);
      },
    ),
  ];
}
