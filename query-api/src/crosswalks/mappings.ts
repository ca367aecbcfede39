/** Routes of the mappings of a crosswalk: lists and counts by tab, histories, and selections. */
import {
  changeTypeOf,
  HistoryQuery,
  ListQuery,
  MAPPING_FIELDS,
  MAPPING_TABS,
  MappingHistoryView,
  MappingView,
  type Page,
  pageOf,
  Refusal,
  type VersionView,
} from '@rdm/contracts';
import { type ApiAnswer, type ApiRequest, idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { ACTING_KEY_COLUMNS, joinActingKey } from '../access/acting-key.ts';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { brokenMappings } from '../entities/broken-mappings.ts';
import { type CrosswalkRecord, mappingCounts } from '../entities/crosswalks.ts';
import { impactOf } from '../entities/request-impact.ts';
import type { Freezable } from '../list/freezable.ts';
import { listRows, matchingRows } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import { lastChangedBy } from '../list/selections.ts';
import { Progress } from '../matching/matching.ts';
import type { QueryContext } from '../query-context.ts';
import { isOfPast, type ReadModels, type ReadRequest, type Tables } from '../read-models/read-models.ts';
import { sql } from '../read-models/sql.ts';
import { toHistoryPage } from '../review/history-page.ts';
import { STATUS_COUNTS } from '../review/value-counts.ts';
import {
  allVersions,
  differences,
  ENTRY_COLUMNS,
  ENTRY_WINDOW,
  entryOf,
  REVIEW_COLUMNS,
  VERSION_METADATA,
  type Version,
} from '../review/versions.ts';
import {
  type DismissedPair,
  dismissedPairs,
  labelsOf,
  type UnmappedValue,
  unmappedValues,
  withoutMapping,
} from './crosswalk-rows.ts';
import { findCrosswalk } from './crosswalks.ts';
import { ConfidenceFields, countSuggested, suggestedPage } from './suggestions.ts';

const Tab = z.enum(MAPPING_TABS);
type Tab = z.infer<typeof Tab>;
/** A page of mappings. In the tab of suggestions, each row has the reason of its suggestion. */
const MappingsPage = pageOf(MappingView.extend({ reason: z.string().optional() })).extend(
  ConfidenceFields.pick({ bounded: true, progress: true }).partial().shape,
);
/** The number of rows of each tab; the number of suggestions is null if the request reads the past. */
const TabCounts = z.object({
  ...(Object.fromEntries(MAPPING_TABS.map((tab) => [tab, z.number()])) as Record<Tab, z.ZodNumber>),
  suggested: z.number().nullable(),
  progress: Progress.nullable(),
});
/** Tabs whose rows have no mapping, and so no status. */
const WITHOUT_MAPPING = ['unmapped', 'suggested', 'dismissed'] as const;
export type StatusTab = Exclude<Tab, (typeof WITHOUT_MAPPING)[number]>;
export const hasMappings = (tab: Tab | undefined): tab is StatusTab | undefined =>
  !WITHOUT_MAPPING.some((without) => without === tab);
export const MappingsQuery = ListQuery.extend({
  tab: Tab.optional().describe('Only the rows of this tab; by default all mappings that are not deleted.'),
});

/** The mappings of a tab, or all mappings that are not deleted. Labels are read later, for the returned page. */
export function mappingList(tables: Tables, crosswalk: CrosswalkRecord, tab: StatusTab | undefined): ListDefinition {
  const inCrosswalk = sql`m.crosswalk_id = ${crosswalk.id}::bigint`;
  const live = sql`${inCrosswalk} AND NOT m.deleted`;
  const inTab =
    tab === 'broken'
      ? sql`m.id IN (${brokenMappings(tables, crosswalk, 'target')})`
      : sql`m.approval_status = ${tab?.toUpperCase()}`;
  const columns = {
    id: sql`m.id`,
    revision: sql`m.revision`,
    crosswalkId: sql`m.crosswalk_id`,
    sourceValue: sql`m.source_value`,
    targetValue: sql`m.target_value`,
    confidence: sql`m.confidence`,
    status: sql`m.approval_status`,
    served: sql`CASE WHEN m.served_target IS NOT NULL
        THEN json_build_object('targetValue', m.served_target, 'confidence', m.served_confidence) END`,
    deletionRequested: sql`m.deletion_requested`,
    authors: sql`m.authors`,
    createdBy: sql`m.created_by`,
    createdAt: sql`m.created_at`,
    submittedBy: sql`m.submitted_by`,
    submittedAt: sql`m.submitted_at`,
    submissionComment: sql`m.submission_comment`,
    approvedBy: sql`m.approved_by`,
    approvedAt: sql`m.approved_at`,
    rejectedBy: sql`m.rejected_by`,
    rejectedAt: sql`m.rejected_at`,
    rejectionReason: sql`m.rejection_reason`,
    deleted: sql`m.deleted`,
    updatedBy: sql`m.updated_by`,
    updatedAt: sql`m.updated_at`,
    impact: impactOf(tables, sql`m.crosswalk_id`, sql`m.source_value`),
  };
  return {
    from: sql`${tables('crosswalk_mapping_values')} m`,
    where: tab === undefined ? live : tab === 'deleted' ? sql`${inCrosswalk} AND m.deleted` : sql`${live} AND ${inTab}`,
    columns,
    // `withRowLabels` needs the values.
    alwaysSelected: ['id', 'revision', 'sourceValue', 'targetValue', 'served'],
    fields: fieldMap(MAPPING_FIELDS, columns, {
      servedValue: sql`m.served_target`,
      origin: sql`m.origin`,
      batchId: sql`m.batch_id`,
    }),
    search: [sql`m.source_value`, sql`m.target_value`],
    id: sql`m.id`,
    isFetchedById: true,
    defaultSort: { sql: sql`m.id`, dataType: 'number', order: 'ASC' },
  };
}

/** Adds the labels of both sides to mappings, and marks the values for which no row exists. */
async function withRowLabels(
  readModels: ReadModels,
  readRequest: ReadRequest,
  crosswalk: CrosswalkRecord,
  rows: readonly MappingView[],
): Promise<MappingView[]> {
  const distinct = (values: string[]) => [...new Set(values)];
  const [sources, targets] = await Promise.all([
    labelsOf(readModels, readRequest, crosswalk.source, distinct(rows.map((row) => row.sourceValue))),
    labelsOf(
      readModels,
      readRequest,
      crosswalk.target,
      distinct(rows.flatMap(({ targetValue, served }) => (served ? [targetValue, served.targetValue] : [targetValue]))),
    ),
  ]);
  return rows.map((row) => ({
    ...row,
    sourceLabel: sources.get(row.sourceValue) ?? null,
    targetLabel: targets.get(row.targetValue) ?? null,
    sourceMissing: !sources.has(row.sourceValue),
    targetMissing: !targets.has(row.targetValue),
    servedMissing: row.served !== null && !targets.has(row.served.targetValue),
  }));
}

async function mappingsPage(
  context: QueryContext,
  request: ApiRequest<unknown, z.infer<typeof MappingsQuery>>,
): Promise<ApiAnswer> {
  const { readModels } = context;
  const crosswalk = await findCrosswalk(readModels, request, viewerOf(request), idParam(request));
  const { tab } = request.query;
  if (tab === 'suggested') return suggestedPage(context, request, crosswalk);
  if (tab === 'unmapped') {
    return listRows<UnmappedValue, MappingView>(
      readModels,
      request,
      (tables) => unmappedValues(tables, crosswalk),
      (value) => withoutMapping(crosswalk.id, value),
    );
  }
  const listed = await (tab === 'dismissed'
    ? listRows<DismissedPair, MappingView>(
        readModels,
        request,
        (tables) => dismissedPairs(tables, crosswalk),
        (pair) => ({ ...withoutMapping(crosswalk.id, { ...pair, sourceLabel: null }), ...pair }),
      )
    : listRows<MappingView>(
        readModels,
        request,
        (tables) => mappingList(tables, crosswalk, tab),
        (row) => row,
      ));
  const page = listed.body as Page<MappingView>;
  return { ...listed, body: { ...page, items: await withRowLabels(readModels, request, crosswalk, page.items) } };
}

interface SuggestionCount {
  suggested: number | null;
  progress: Progress | null;
}
const NOT_COUNTED = { total: null, progress: null };

/**
 * GET …/mappings/counts: counts the rows of each tab. Returns the progress while suggestions are computed. The number
 * of suggestions is null if the request reads the past.
 */
async function countTabs(
  context: QueryContext,
  readRequest: ReadRequest,
  viewer: Viewer,
  crosswalk: CrosswalkRecord,
): Promise<Record<Exclude<Tab, 'suggested'>, number> & SuggestionCount & { position: string }> {
  const [counts, suggested] = await Promise.all([
    context.readModels.read<Record<Exclude<Tab, 'suggested'>, number>>(readRequest, (tables) => {
      const { from, where } = unmappedValues(tables, crosswalk);
      const deleted = mappingList(tables, crosswalk, 'deleted');
      const dismissed = dismissedPairs(tables, crosswalk);
      return sql`SELECT (SELECT count(*) FROM ${from} WHERE ${where}) AS unmapped, ${STATUS_COUNTS},
          (SELECT count(*) FROM (${brokenMappings(tables, crosswalk, 'target')}) b) AS broken,
          (SELECT count(*) FROM ${deleted.from} WHERE ${deleted.where}) AS deleted,
          (SELECT count(*) FROM ${dismissed.from} WHERE ${dismissed.where}) AS dismissed
        FROM ${mappingCounts(tables)} n WHERE n.crosswalk_id = ${crosswalk.id}::bigint`;
    }),
    isOfPast(readRequest) ? NOT_COUNTED : countSuggested(context, readRequest, viewer, crosswalk),
  ]);
  const { total, progress } = suggested;
  return { ...counts.one(), suggested: total, progress, position: counts.position };
}

type MappingVersion = Version<
  VersionView & Pick<MappingHistoryView, 'mappingId' | 'crosswalkId' | 'targetValue' | 'confidence' | 'metadata'>
>;

/** Reads all versions of a mapping, oldest first. */
const readHistory = (readModels: ReadModels, readRequest: ReadRequest, crosswalkId: number, id: number) =>
  readModels.read<MappingVersion>(readRequest, (tables) => {
    const columns = sql`${REVIEW_COLUMNS}, deleted, target_value, confidence`;
    const isOfMapping = sql`crosswalk_id = ${crosswalkId}::bigint AND id = ${id}::bigint`;
    return sql`SELECT ${ENTRY_COLUMNS}, ${id}::bigint AS "mappingId", ${crosswalkId}::bigint AS "crosswalkId",
        v.target_value AS "targetValue", v.confidence, ${VERSION_METADATA} AS metadata, ${ACTING_KEY_COLUMNS}
      FROM (${allVersions(tables, 'crosswalk_mapping_values', columns, isOfMapping)}) v
        ${joinActingKey(tables, sql`v.valid_from`)} ${ENTRY_WINDOW}`;
  });

/** Returns the history entry of a version: its values and its differences from the previous version. */
function historyEntry(version: MappingVersion, before: MappingVersion | undefined): MappingHistoryView {
  const mappedValueOf = ({ targetValue, confidence }: MappingVersion) => ({ targetValue, confidence });
  return {
    ...entryOf(version, before && differences({ ...before }, mappedValueOf(version))),
    id: version.seq,
    changeType: changeTypeOf(version.type),
    previousStatus: version.prevStatus,
    previousValue: before ? mappedValueOf(before) : null,
    newValue: mappedValueOf(version),
    changedBy: version.userId,
    changedAt: version.timestamp,
    changeReason: version.comment,
    // An entry of a history never changes: both dates are the same.
    createdAt: version.timestamp,
    updatedAt: version.timestamp,
  };
}

/** Freezes the mappings of a tab as a selection; refuses tabs whose rows have no mapping. */
export const freezableMappings = (readModels: ReadModels): Freezable => ({
  async query(request, readRequest) {
    const { parentId, tab, filter, q, commandIds } = request.body;
    if (parentId === undefined) throw new Refusal('INVALID', 'parentId must name a crosswalk');
    const chosenTab = tab === undefined ? undefined : Tab.parse(tab);
    if (!hasMappings(chosenTab))
      throw new Refusal('INVALID', 'The values of this tab cannot be selected: they have no mappings yet');
    const crosswalk = await findCrosswalk(readModels, readRequest, viewerOf(request), parentId);
    return (tables) => {
      const list = mappingList(tables, crosswalk, chosenTab);
      const where = sql`${list.where} AND ${lastChangedBy(tables, sql`m.valid_from`, commandIds)}`;
      return matchingRows({ filter, q }, { ...list, where }, sql`m.id, m.revision`);
    };
  },
});

export function mappingRoutes(context: QueryContext): Route[] {
  const { readModels, freezable } = context;
  freezable.set('mappings', freezableMappings(readModels));
  return [
    route(
      'get',
      '/api/crosswalks/:id/mappings',
      { level: 'READ' },
      { summary: 'List the mappings of a crosswalk', answers: { 200: MappingsPage }, query: MappingsQuery },
      (request) => mappingsPage(context, request),
    ),

    route(
      'get',
      '/api/crosswalks/:id/mappings/counts',
      { level: 'READ' },
      {
        summary: 'Count the rows of each tab of the mappings of a crosswalk',
        answers: { 200: TabCounts },
      },
      async (request) => {
        const viewer = viewerOf(request);
        const crosswalk = await findCrosswalk(readModels, request, viewer, idParam(request));
        const { position, ...counts } = await countTabs(context, request, viewer, crosswalk);
        return { body: counts, position };
      },
    ),

    route(
      'get',
      '/api/crosswalks/:id/mappings/:valueId/history',
      { level: 'READ' },
      {
        summary: 'List the versions of a mapping',
        example: { params: { valueId: 5166 } },
        answers: { 200: pageOf(MappingHistoryView) },
        query: HistoryQuery,
      },
      async (request) => {
        const crosswalk = await findCrosswalk(readModels, request, viewerOf(request), idParam(request));
        const versions = await readHistory(readModels, request, crosswalk.id, idParam(request, 'valueId'));
        return toHistoryPage(versions, request.query, historyEntry);
      },
    ),
  ];
}
