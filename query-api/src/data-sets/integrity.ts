/**
 * Routes of the integrity of data sets: issues, their counts, and a summary of many data sets. Only changed data is
 * counted again.
 */
import {
  INTEGRITY_FIELDS,
  INTEGRITY_KINDS,
  type IntegrityCounts,
  type IntegrityIssue,
  type IntegrityKind,
  IntegrityPage,
  IntegritySummary,
  LISTED_PARENTS_MAX,
  ListQuery,
  type Page,
  SUMMED_DATA_SETS_MAX,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { viewerOf } from '../access/viewer.ts';
import { listRows } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type ReadModels, type ReadRequest, type Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';
import {
  countBroken,
  countBrokenValues,
  countMisfits,
  type DataSetChecks,
  issuesOf,
  selectChecks,
} from './integrity-checks.ts';

const IssuesQuery = ListQuery.extend({
  kind: z.enum(INTEGRITY_KINDS).optional().describe('Only the issues of this kind.'),
});
const SummaryQuery = z.object({
  ids: z
    .string()
    .regex(/^\d{1,15}(,\d{1,15})*$/, 'ids is a list of data set ids, such as 3,7')
    .transform((text) => [...new Set(text.split(',').map(Number))])
    .refine((ids) => ids.length <= SUMMED_DATA_SETS_MAX, { error: `Name at most ${SUMMED_DATA_SETS_MAX} data sets` })
    .describe('Ids of data sets, separated by commas.'),
});

/** The cache is cleared when it has counts of more parts than this. */
const CACHED_PARTS = 10_000;
/** Maximum number of parts that one request counts at the same time: more could take all database connections. */
const CONCURRENT_COUNTS_MAX = 2;

/** A part of a data set whose issues are counted separately: its cells, one crosswalk or one relationship. */
interface Part {
  name: string;
  version: string;
  count(tables: Tables): Sql;
}

const cellsName = ({ id }: DataSetChecks): string => `cells ${id}`;
const crosswalkName = ({ id }: { id: number }): string => `crosswalk ${id}`;
const relationshipName = ({ id }: { id: number }): string => `relationship ${id}`;

const partsOf = (checked: DataSetChecks): Part[] => [
  ...(checked.retyped.length === 0
    ? []
    : [
        {
          name: cellsName(checked),
          version: checked.version,
          count: (tables: Tables) => countMisfits(tables, checked),
        },
      ]),
  ...checked.crosswalks.map((crosswalk) => ({
    name: crosswalkName(crosswalk),
    version: crosswalk.version,
    count: (tables: Tables) => countBroken(tables, crosswalk),
  })),
  ...checked.relationships.map((relationship) => ({
    name: relationshipName(relationship),
    version: relationship.version,
    count: (tables: Tables) => countBrokenValues(tables, relationship),
  })),
];

interface CountedDataSet {
  counts: IntegrityCounts;
  /** The counts by the name of the part. */
  parts: ReadonlyMap<string, Partial<IntegrityCounts>>;
}

/**
 * Returns only the checks that find issues of `kind`; undefined means any kind. Other checks would only cost
 * planning time. `unlisted` is the number of crosswalks and relationships with issues beyond `LISTED_PARENTS_MAX`.
 */
function withIssuesOnly(
  checked: DataSetChecks,
  { parts }: CountedDataSet,
  kind: IntegrityKind | undefined,
): { broken: DataSetChecks; unlisted: number } {
  const kinds = kind === undefined ? INTEGRITY_KINDS : [kind];
  const isBroken = (name: string) => kinds.some((each) => (parts.get(name)?.[each] ?? 0) > 0);
  const crosswalks = checked.crosswalks.filter((crosswalk) => isBroken(crosswalkName(crosswalk)));
  const relationships = checked.relationships.filter((relationship) => isBroken(relationshipName(relationship)));
  const broken: DataSetChecks = {
    ...checked,
    retyped: isBroken(cellsName(checked)) ? checked.retyped : [],
    crosswalks: crosswalks.slice(0, LISTED_PARENTS_MAX),
    relationships: relationships.slice(0, Math.max(0, LISTED_PARENTS_MAX - crosswalks.length)),
  };
  const listed = broken.crosswalks.length + broken.relationships.length;
  return { broken, unlisted: crosswalks.length + relationships.length - listed };
}

/** Counts the issues of each version of a part once; concurrent requests share the count. */
function openCounts(readModels: ReadModels) {
  const cached = new Map<string, { version: string; counts: Promise<Partial<IntegrityCounts>> }>();

  const count = async (part: Part): Promise<Partial<IntegrityCounts>> => {
    const lastCount = cached.get(part.name);
    if (lastCount?.version === part.version) return lastCount.counts;
    if (cached.size > CACHED_PARTS) cached.clear();
    const counts = readModels.read<Partial<IntegrityCounts>>({}, part.count).then((result) => result.one());
    const entry = { version: part.version, counts };
    cached.set(part.name, entry);
    // A failed count is not cached: the next request tries again.
    counts.catch(() => cached.get(part.name) === entry && cached.delete(part.name));
    return counts;
  };

  return async (sets: readonly DataSetChecks[]): Promise<Map<number, CountedDataSet>> => {
    const wanted = new Map(sets.flatMap(partsOf).map((part) => [part.name, part]));
    const counted = new Map<string, Partial<IntegrityCounts>>();
    const waiting = [...wanted.values()];
    const work = async () => {
      for (let part = waiting.shift(); part; part = waiting.shift()) counted.set(part.name, await count(part));
    };
    await Promise.all(Array.from({ length: CONCURRENT_COUNTS_MAX }, work));
    return new Map(
      sets.map((checked) => {
        const counts: IntegrityCounts = { WRONG_TYPE: 0, BROKEN_SOURCE: 0, BROKEN_TARGET: 0, BROKEN_RELATIONSHIP: 0 };
        for (const { name } of partsOf(checked)) {
          for (const kind of INTEGRITY_KINDS) counts[kind] += counted.get(name)?.[kind] ?? 0;
        }
        return [checked.id, { counts, parts: counted }];
      }),
    );
  };
}

function definition(tables: Tables, checked: DataSetChecks, kind: string | undefined): ListDefinition {
  const columns = {
    id: sql`x.id`,
    kind: sql`x.kind`,
    instanceId: sql`x."instanceId"`,
    key: sql`x.key`,
    field: sql`x.field`,
    value: sql`x.value`,
    expected: sql`x.expected`,
    parent: sql`x.parent`,
    parentId: sql`x."parentId"`,
    parentName: sql`x."parentName"`,
    valueId: sql`x."valueId"`,
    sourceValue: sql`x."sourceValue"`,
    status: sql`x.status`,
  };
  return {
    from: sql`(${issuesOf(tables, checked)}) x`,
    where: kind === undefined ? sql`true` : sql`x.kind = ${kind}`,
    columns,
    alwaysSelected: Object.keys(columns),
    fields: fieldMap(INTEGRITY_FIELDS, columns, {}),
    search: [columns.key, columns.field, columns.value, columns.parentName, columns.sourceValue],
    id: columns.id,
    defaultSort: { sql: columns.kind, order: 'DESC' },
  };
}

export const integrityRoutes = ({ readModels }: QueryContext): Route[] => {
  const count = openCounts(readModels);
  const find = (readRequest: ReadRequest, viewer: ReturnType<typeof viewerOf>, ids: readonly number[]) =>
    readModels.read<DataSetChecks>(readRequest, (tables) => selectChecks(tables, viewer, ids));

  return [
    route(
      'get',
      '/api/reference-data/:id/integrity',
      { level: 'READ' },
      {
        summary: 'List the integrity issues of a data set',
        hasPast: false,
        answers: { 200: IntegrityPage },
        query: IssuesQuery,
      },
      async (request) => {
        const checked = (await find(request, viewerOf(request), [idParam(request)])).one();
        const counted = (await count([checked])).get(checked.id) as CountedDataSet;
        const { kind } = request.query;
        const { broken, unlisted } = withIssuesOnly(checked, counted, kind);
        const listed = await listRows<IntegrityIssue>(
          readModels,
          request,
          (tables) => definition(tables, broken, kind),
          (row) => row,
        );
        const { counts } = counted;
        return {
          ...listed,
          body: { ...(listed.body as Page<IntegrityIssue>), counts, unlisted } satisfies IntegrityPage,
        };
      },
    ),

    // Lists of data sets show which ones have issues.
    route(
      'get',
      '/api/integrity',
      { route: '/collections', level: 'READ' },
      {
        summary: 'Count the integrity issues of data sets',
        answers: { 200: z.object({ items: z.array(IntegritySummary) }) },
        example: { query: { ids: '1,2' } },
        query: SummaryQuery,
      },
      async (request) => {
        const found = await find({ minPosition: request.minPosition }, viewerOf(request), request.query.ids);
        const counts = await count(found.rows);
        const items = [...counts].map(
          ([id, { counts: each }]): IntegritySummary => ({
            id,
            count: INTEGRITY_KINDS.reduce((sum, kind) => sum + each[kind], 0),
          }),
        );
        return answer(found, { items: items.filter((item) => item.count > 0) });
      },
    ),
  ];
};
