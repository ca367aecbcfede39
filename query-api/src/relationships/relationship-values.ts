/** Routes of relationship values: lists, counts and histories. Also freezes lists into selections. */
import {
  AnyRelationshipValueView,
  COUNT_CAP,
  HistoryQuery,
  ListQuery,
  pageOf,
  RELATIONSHIP_OF_VALUE_FIELDS,
  RELATIONSHIP_VALUE_FIELDS,
  RELATIONSHIP_VALUE_TABS,
  RelationshipValueHistoryView,
  RelationshipValueView,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { labelField } from '../access/label-field.ts';
import { findReadableDataSet } from '../access/readable-data-set.ts';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { valueCounts } from '../entities/relationships.ts';
import type { FieldSql } from '../list/filter/compile.ts';
import { cellField } from '../list/filter/fields.ts';
import type { Freezable } from '../list/freezable.ts';
import { listRows, matchingRows } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import { lastChangedBy } from '../list/selections.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type ReadModels, type ReadRequest, type Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';
import {
  attributesByName,
  isBroken,
  isGone,
  keyOf,
  labelOf,
  SERVED,
  type Side,
  WORKING,
} from '../review/relationship-sides.ts';
import { STATUS_COUNTS } from '../review/value-counts.ts';
import { allVersions, ENTRY_COLUMNS, ENTRY_WINDOW, REVIEW_COLUMNS } from '../review/versions.ts';
import { historyOf } from './relationship-history.ts';
import { findRelationship, type RelationshipRecord, readableEnds, relationshipsWithEnds } from './relationships.ts';

const Tab = z.enum(RELATIONSHIP_VALUE_TABS);
type Tab = z.infer<typeof Tab>;
export const ValuesQuery = ListQuery.extend({ tab: Tab.optional().describe('Only the values of this tab.') });

interface ValueListOptions {
  from: Sql;
  where: Sql;
  source: Side;
  target: Side;
  attributes: RelationshipRecord['attributes'];
  tab: Tab | undefined;
}

/** The attributes of a value `v` as a list of records. */
const attributeValues = sql`(SELECT coalesce(json_agg(json_build_object('id', concat(v.id, '-', attribute.key),
    'relationshipValueId', v.id, 'attributeDefinitionId', attribute.key::bigint, 'value', attribute.value, 'createdAt', v.created_at,
    'updatedAt', v.updated_at) ORDER BY attribute.key::bigint), '[]')
  FROM jsonb_each(v.attributes) attribute WHERE attribute.value <> 'null')`;

/** All versions of a value `v` as JSON, oldest first. */
const changeHistory = (tables: Tables): Sql => sql`(SELECT json_agg(json_strip_nulls(json_build_object(
    'comment', entry.comment))::jsonb || jsonb_build_object('timestamp', entry.timestamp, 'prevStatus', entry."prevStatus",
    'newStatus', entry."newStatus", 'userId', entry."userId") ORDER BY entry.seq)
  FROM (SELECT ${ENTRY_COLUMNS} FROM (${allVersions(
    tables,
    'relationship_values',
    sql`${REVIEW_COLUMNS}, deleted`,
    sql`relationship_id = v.relationship_id AND id = v.id`,
  )}) v ${ENTRY_WINDOW}) entry)`;

/** The list of values `v` of relationships `r`. */
function definition(
  tables: Tables,
  { from, where, source, target, attributes, tab }: ValueListOptions,
): ListDefinition {
  const broken = isBroken(tables, source, target);
  const inTab =
    tab === undefined || tab === 'deleted'
      ? sql`true`
      : tab === 'broken'
        ? broken
        : sql`v.approval_status = ${tab.toUpperCase()}`;
  const [sourceKey, targetKey] = [keyOf(tables, source, source.working), keyOf(tables, target, target.working)];
  const [sourceLabel, targetLabel] = [labelOf(tables, source), labelOf(tables, target)];
  const columns = {
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
    attributes: attributesByName(sql`v.attributes`),
    attributeValues,
    status: sql`v.approval_status`,
    approvalStatus: sql`v.approval_status`,
    served: sql`CASE WHEN v.served IS NOT NULL THEN json_build_object(
      'sourceInstanceId', ${source.served}, 'targetInstanceId', ${target.served},
      'sourceKey', ${keyOf(tables, source, source.served)}, 'targetKey', ${keyOf(tables, target, target.served)},
      'attributes', ${attributesByName(sql`(v.served -> 'attributes')`)}) END`,
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
    deleted: sql`v.deleted`,
    updatedBy: sql`v.updated_by`,
    updatedAt: sql`v.updated_at`,
    submittedForApprovalBy: sql`v.submitted_by`,
    submittedForApprovalAt: sql`v.submitted_at`,
    lastModifiedBy: sql`v.updated_by`,
    lastModifiedAt: sql`v.updated_at`,
    metadata: sql`CASE WHEN v.batch_id IS NOT NULL THEN json_build_object('batchId', v.batch_id) END`,
    changeHistory: changeHistory(tables),
  } satisfies Record<keyof RelationshipValueView, Sql>;
  return {
    from,
    where: sql`${tab === 'deleted' ? sql`v.deleted` : sql`NOT v.deleted`} AND ${where} AND ${inTab}`,
    columns,
    alwaysSelected: [
      'id',
      'revision',
      'relationshipId',
      'sourceInstanceId',
      'targetInstanceId',
      'sourceKey',
      'targetKey',
    ],
    // An attribute of the relationship has priority over a common field with the same name.
    fields: new Map<string, FieldSql>([
      ...fieldMap(RELATIONSHIP_VALUE_FIELDS, columns, { broken, batchId: sql`v.batch_id` }),
      ...attributes.map(({ id, name, dataType }): [string, FieldSql] => [
        name,
        { ...cellField('v.attributes', id, dataType), label: name },
      ]),
    ]),
    search: [sourceKey, targetKey, sourceLabel, targetLabel],
    id: sql`v.id`,
    isFetchedById: true,
    defaultSort: { sql: sql`v.id`, dataType: 'number', order: 'ASC' },
  };
}

/** The list of the values of one relationship. */
export function valuesOf(tables: Tables, relationship: RelationshipRecord, tab: Tab | undefined): ListDefinition {
  return definition(tables, {
    from: sql`${tables('relationship_values')} v JOIN ${tables('relationships')} r ON r.id = v.relationship_id`,
    where: sql`v.relationship_id = ${relationship.id}::bigint`,
    source: {
      dataSetId: sql`${relationship.sourceDataSetId}::bigint`,
      labelFieldId: sql`${relationship.sourceLabelFieldId}::bigint`,
      working: WORKING.source,
      served: SERVED.source,
    },
    target: {
      dataSetId: sql`${relationship.targetDataSetId}::bigint`,
      labelFieldId: sql`${relationship.targetLabelFieldId}::bigint`,
      working: WORKING.target,
      served: SERVED.target,
    },
    attributes: relationship.attributes,
    tab,
  });
}

/** The list of the values of all relationships that the viewer may read. */
function allValues(tables: Tables, viewer: Viewer, tab: Tab | undefined, where: Sql = sql`true`): ListDefinition {
  const list = definition(tables, {
    from: sql`${relationshipsWithEnds(tables)} JOIN ${tables('relationship_values')} v ON v.relationship_id = r.id`,
    where: sql`${readableEnds(tables, viewer)} AND ${where}`,
    source: {
      dataSetId: sql`r.source_data_set_id`,
      labelFieldId: labelField(sql`s`, sql`st`, sql`s.key_field_ids`),
      working: WORKING.source,
      served: SERVED.source,
    },
    target: {
      dataSetId: sql`r.target_data_set_id`,
      labelFieldId: labelField(sql`t`, sql`tt`, sql`t.key_field_ids`),
      working: WORKING.target,
      served: SERVED.target,
    },
    attributes: [],
    tab,
  });
  const columns = {
    relationshipName: sql`r.name`,
    sourceDataSetId: sql`r.source_data_set_id`,
    targetDataSetId: sql`r.target_data_set_id`,
    sourceName: sql`s.name`,
    targetName: sql`t.name`,
  };
  return {
    ...list,
    columns: { ...list.columns, ...columns },
    fields: new Map([...list.fields, ...fieldMap(RELATIONSHIP_OF_VALUE_FIELDS, columns, {})]),
  };
}

/** Condition: the row is the source or target of the working or served value of `v`. */
const isEndOfValue = (dataSetId: number, id: number): Sql => {
  const hasEnd = (dataSet: Sql, working: Sql, served: Sql) =>
    sql`${dataSet} = ${dataSetId}::bigint AND (${working} = ${id}::bigint OR ${served} = ${id}::bigint)`;
  return sql`(${hasEnd(sql`r.source_data_set_id`, WORKING.source, SERVED.source)}
    OR ${hasEnd(sql`r.target_data_set_id`, WORKING.target, SERVED.target)})`;
};

/** Counts the values of each tab of a relationship. */
const countTabs = (readModels: ReadModels, readRequest: ReadRequest, relationship: RelationshipRecord) =>
  readModels.read<Record<Tab, number>>(readRequest, (tables) => {
    const broken = valuesOf(tables, relationship, 'broken');
    const deleted = valuesOf(tables, relationship, 'deleted');
    return sql`SELECT ${STATUS_COUNTS},
        (SELECT count(*) FROM ${broken.from} WHERE ${broken.where}) AS broken,
        (SELECT count(*) FROM ${deleted.from} WHERE ${deleted.where}) AS deleted
      FROM ${valueCounts(tables)} n WHERE n.relationship_id = ${relationship.id}::bigint`;
  });

/** Counts the values that the viewer may read, by tab. Counts broken and deleted values only up to COUNT_CAP + 1. */
const countAll = (readModels: ReadModels, readRequest: ReadRequest, viewer: Viewer) =>
  readModels.read<Record<Tab, number>>(readRequest, (tables) => {
    const capped = (tab: Tab) => {
      const { from, where } = allValues(tables, viewer, tab);
      return sql`(SELECT count(*) FROM (SELECT 1 FROM ${from} WHERE ${where} LIMIT ${COUNT_CAP + 1}) capped)`;
    };
    const sum = (status: Sql) => sql`coalesce(sum(n.${status}), 0)::bigint`;
    return sql`SELECT ${sum(sql`draft`)} AS draft, ${sum(sql`pending`)} AS pending, ${sum(sql`approved`)} AS approved,
        ${sum(sql`rejected`)} AS rejected,
        ${capped('broken')} AS broken, ${capped('deleted')} AS deleted
      FROM ${relationshipsWithEnds(tables)} JOIN ${valueCounts(tables)} n ON n.relationship_id = r.id
      WHERE ${readableEnds(tables, viewer)}`;
  });

/** Freezes values of one relationship or of all relationships into selections. */
const freezableValues = (readModels: ReadModels): Freezable => ({
  async query(request, readRequest) {
    const { parentId, tab, filter, q, commandIds } = request.body;
    const parsedTab = tab === undefined ? undefined : Tab.parse(tab);
    const changedByCommands = (tables: Tables, list: ListDefinition): ListDefinition => ({
      ...list,
      where: sql`${list.where} AND ${lastChangedBy(tables, sql`v.valid_from`, commandIds)}`,
    });
    if (parentId === undefined) {
      const viewer = viewerOf(request);
      const columns = sql`v.id, v.revision, 'relationship-value' AS kind, r.id AS parent_id`;
      return (tables) =>
        matchingRows({ filter, q }, changedByCommands(tables, allValues(tables, viewer, parsedTab)), columns);
    }
    const relationship = await findRelationship(readModels, readRequest, viewerOf(request), parentId);
    return (tables) =>
      matchingRows(
        { filter, q },
        changedByCommands(tables, valuesOf(tables, relationship, parsedTab)),
        sql`v.id, v.revision`,
      );
  },
});

const unchanged = (row: AnyRelationshipValueView): AnyRelationshipValueView => row;

export function relationshipValueRoutes({ readModels, freezable }: QueryContext): Route[] {
  freezable.set('relationship-values', freezableValues(readModels));
  return [
    route(
      'get',
      '/api/relationships/values',
      { route: '/relationships', level: 'READ' },
      {
        summary: 'List the values of all relationships',
        answers: { 200: pageOf(AnyRelationshipValueView) },
        query: ValuesQuery,
      },
      (request) => {
        const viewer = viewerOf(request);
        return listRows(readModels, request, (tables) => allValues(tables, viewer, request.query.tab), unchanged);
      },
    ),

    route(
      'get',
      '/api/relationships/values/counts',
      { route: '/relationships', level: 'READ' },
      { summary: 'Count the values of all relationships by tab', answers: { 200: z.record(Tab, z.number()) } },
      async (request) => {
        const found = await countAll(readModels, request, viewerOf(request));
        return answer(found, found.one());
      },
    ),

    route(
      'get',
      '/api/relationships/:id/values',
      { level: 'READ' },
      {
        summary: 'List the values of a relationship',
        answers: { 200: pageOf(RelationshipValueView) },
        query: ValuesQuery,
      },
      async (request) => {
        const relationship = await findRelationship(readModels, request, viewerOf(request), idParam(request));
        return listRows(
          readModels,
          request,
          (tables) => valuesOf(tables, relationship, request.query.tab),
          (row) => row,
        );
      },
    ),

    route(
      'get',
      '/api/relationships/:id/values/counts',
      { level: 'READ' },
      { summary: 'Count the values of a relationship by tab', answers: { 200: z.record(Tab, z.number()) } },
      async (request) => {
        const relationship = await findRelationship(readModels, request, viewerOf(request), idParam(request));
        const found = await countTabs(readModels, request, relationship);
        return answer(found, found.one());
      },
    ),

    route(
      'get',
      '/api/relationships/:id/values/:valueId/history',
      { level: 'READ' },
      {
        summary: 'List the versions of a relationship value',
        example: { params: { valueId: 104 } },
        answers: { 200: pageOf(RelationshipValueHistoryView) },
        query: HistoryQuery,
      },
      async (request) => {
        const viewer = viewerOf(request);
        const relationship = await findRelationship(readModels, request, viewer, idParam(request));
        return historyOf(readModels, request, viewer, relationship, idParam(request, 'valueId'));
      },
    ),

    route(
      'get',
      '/api/reference-data/:id/instances/:instanceId/relationships',
      { level: 'READ' },
      {
        summary: 'List the relationship values of a row',
        example: { params: { instanceId: 5166 } },
        answers: { 200: pageOf(AnyRelationshipValueView) },
        query: ListQuery,
      },
      async (request) => {
        const viewer = viewerOf(request);
        const dataSet = await findReadableDataSet(readModels, request, viewer, idParam(request));
        const isOfRow = isEndOfValue(dataSet.id, idParam(request, 'instanceId'));
        return listRows(readModels, request, (tables) => allValues(tables, viewer, undefined, isOfRow), unchanged);
      },
    ),
  ];
}
