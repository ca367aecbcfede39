/** Previews a change of the fields of a type without storing it: its effect on existing rows and saved filters. */
import {
  ChangeSchema,
  type DataType,
  type DependencyAnalysis,
  PREVIEWED_DATA_SETS,
  PREVIEWED_FILTERS,
  PREVIEWED_ROWS,
  planSchema,
  type SchemaIssue,
  SchemaPreview,
  type SchemaProblem,
  type SchemaStep,
  type TypeField,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { findReadableDataSet } from '../access/readable-data-set.ts';
import { displayedKey } from '../access/row-keys.ts';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { type Dependants, selectDependants, toDependencyAnalysis } from '../entities/dependants.ts';
import { mayUseFilter } from '../entities/filters.ts';
import { hasValue, isMisfit } from '../list/filter/fields.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type ReadModels, type ReadRequest, type Tables } from '../read-models/read-models.ts';
import { join, type Sql, sql } from '../read-models/sql.ts';

interface StoredType {
  fields: TypeField[];
  dataSetIds: number[];
}

/** A check that finds the existing cells that a step affects. */
interface Check {
  field: TypeField;
  kind: SchemaIssue['kind'];
  rule: string;
  condition: Sql;
}

function checksOf(steps: readonly SchemaStep[]): Check[] {
  const data = 'i.data';
  return steps.flatMap((step): Check[] => {
    if (step.kind === 'retired') {
      const { field } = step;
      const rule = 'no longer shown; the history keeps it';
      return [{ field, kind: 'RETIRED', rule, condition: hasValue(data, field.fieldId) }];
    }
    if (step.kind !== 'changed' || step.dataType === undefined) return [];
    const { field, dataType } = step;
    const rule = typeRule(field.dataType, dataType);
    return [{ field, kind: 'TYPE', rule, condition: isMisfit(data, field.fieldId, dataType) }];
  });
}

/** Stored values are never rewritten: a value of another type counts as empty until a user enters it again. */
const typeRule = (from: DataType, to: DataType): string =>
  `stored as a ${from}, not a ${to}: shown as empty until a user enters it again`;

interface CheckedDataSet {
  id: number;
  name: string;
  createdBy: number | null;
  instanceCount: number;
  /** The number of affected rows for each check, in the order of the checks. */
  counts: number[];
}

/** Selects the data sets of the type, or only the data set `only`, with the number of affected rows by check. */
function countAffected(tables: Tables, typeId: number, only: number | undefined, checks: readonly Check[]): Sql {
  const counted = checks.map(({ condition }) => sql`count(*) FILTER (WHERE ${condition})`);
  const counts = sql`(SELECT ARRAY[${join(counted, ', ')}]::bigint[]
    FROM ${tables('instances')} i WHERE i.data_set_id = d.id AND NOT i.deleted)`;
  return sql`SELECT d.id, d.name, d.created_by AS "createdBy", coalesce(n.instances, 0) AS "instanceCount",
      ${checks.length === 0 ? sql`ARRAY[]::bigint[]` : counts} AS counts
    FROM ${tables('reference_data_sets')} d
    LEFT JOIN ${tables('data_set_counts')} n ON n.data_set_id = d.id
    WHERE d.type_id = ${typeId}::bigint AND ${only === undefined ? sql`true` : sql`d.id = ${only}::bigint`}
    ORDER BY lower(d.name), d.id`;
}

type Example = SchemaIssue['examples'][number] & { dataSetId: number; check: number };

/** Selects the first affected rows of each pair of data set and check. */
function examplesOf(
  tables: Tables,
  pairs: readonly { dataSetId: number; check: number }[],
  checks: readonly Check[],
): Sql {
  const selects = pairs.flatMap(({ dataSetId, check }) => {
    const fieldCheck = checks[check];
    if (!fieldCheck) return [];
    const value = sql`(i.data -> ${String(fieldCheck.field.fieldId)}::text)`;
    return [
      sql`(SELECT ${dataSetId}::bigint AS "dataSetId", ${check}::integer AS "check", i.id AS "instanceId", ${displayedKey(sql`i.key`)} AS key, ${value} AS value
        FROM ${tables('instances')} i WHERE i.data_set_id = ${dataSetId}::bigint AND NOT i.deleted AND ${fieldCheck.condition}
        ORDER BY i.id LIMIT ${PREVIEWED_ROWS}::integer)`,
    ];
  });
  return join(selects, ' UNION ALL ');
}

interface AffectedFilter {
  id: number;
  name: string;
  dataSet: { id: number; name: string };
  fieldIds: number[];
}

/** Selects the saved filters on these fields, for the data sets of the type or only for the data set `only`. */
function filtersOnFields(
  tables: Tables,
  viewer: Viewer,
  { typeId, only }: { typeId: number; only?: number },
  fieldIds: readonly number[],
): Sql {
  return sql`SELECT f.id, f.name, jsonb_build_object('id', d.id, 'name', d.name) AS "dataSet", n.ids AS "fieldIds"
    FROM ${tables('saved_filters')} f
    JOIN ${tables('reference_data_sets')} d ON f.list = 'data-set' AND d.id = f.subject_id
    CROSS JOIN LATERAL (SELECT array_agg(each.value::bigint) AS ids FROM jsonb_each_text(f.field_ids) each
      WHERE each.value::bigint = ANY(${fieldIds}::bigint[])) n
    WHERE d.type_id = ${typeId}::bigint AND ${only === undefined ? sql`true` : sql`d.id = ${only}::bigint`}
      AND n.ids IS NOT NULL AND ${mayUseFilter(tables, viewer)}
    ORDER BY lower(f.name), f.id LIMIT ${PREVIEWED_FILTERS}::integer`;
}

/**
 * Adds the crosswalks and relationships that use the field of each problem. `hidden` is the number of definitions that
 * the viewer may not read.
 */
function toProblemViews(
  problems: readonly SchemaProblem[],
  fields: readonly TypeField[],
  dependencies: DependencyAnalysis,
): SchemaPreview['problems'] {
  return problems.map((problem) => {
    const referrers = fields.find(({ name }) => name === problem.field)?.referencedBy ?? [];
    const usedBy = referrers.flatMap((referrer) => {
      const [kind, id] = referrer.split(':') as ['crosswalk' | 'relationship', string];
      const list = kind === 'crosswalk' ? dependencies.crosswalkMappings : dependencies.relationships;
      const definition = list.find((each) => each.id === Number(id));
      return definition ? [{ kind, id: definition.id, name: definition.name }] : [];
    });
    return { ...problem, usedBy, hidden: referrers.length - usedBy.length };
  });
}

function toStepView(step: SchemaStep): SchemaPreview['steps'][number] {
  switch (step.kind) {
    case 'retired':
      return { kind: step.kind, field: step.field.name };
    case 'added':
      return { kind: step.kind, field: step.name, to: step.dataType };
    case 'renamed':
      return { kind: step.kind, field: step.field.name, from: step.field.name, to: step.name };
    case 'changed':
      return {
        kind: step.kind,
        field: step.field.name,
        ...(step.dataType !== undefined && { from: step.field.dataType, to: step.dataType }),
      };
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Returns the preview for all data sets of a type, or only for the data set `only`. */
async function preview(
  readModels: ReadModels,
  readRequest: ReadRequest,
  viewer: Viewer,
  wanted: ChangeSchema,
  { typeId, only }: { typeId: number; only?: number },
) {
  const typeResult = await readModels.read<StoredType & { dependants: Dependants }>(readRequest, (tables) => {
    const ids = sql`SELECT d.id FROM ${tables('reference_data_sets')} d WHERE d.type_id = ${typeId}::bigint`;
    return sql`SELECT t.fields, t.data_set_ids AS "dataSetIds",
        (SELECT row_to_json(found) FROM (${selectDependants(tables, { ids, typeId: sql`${typeId}::bigint` })}) found) AS dependants
      FROM ${tables('reference_data_types')} t WHERE t.id = ${typeId}::bigint`;
  });
  const type = typeResult.one();
  const { steps, problems } = planSchema(type, wanted.schemas);
  const checks = checksOf(steps);
  const checkedDataSets = (
    await readModels.read<CheckedDataSet>(readRequest, (tables) => countAffected(tables, typeId, only, checks))
  ).rows;
  const readable = checkedDataSets.filter(viewer.hasDeclaredLevel);
  const withAffectedRows = readable
    .filter(({ counts }) => sum(counts) > 0)
    .sort((a, b) => sum(b.counts) - sum(a.counts));
  const previewed = withAffectedRows.slice(0, PREVIEWED_DATA_SETS);
  const pairs = previewed.flatMap(({ id, counts }) =>
    counts.flatMap((count, check) => (count > 0 ? [{ dataSetId: id, check }] : [])),
  );
  const examples =
    pairs.length === 0
      ? []
      : (await readModels.read<Example>(readRequest, (tables) => examplesOf(tables, pairs, checks))).rows;
  const retiredNames = new Map(
    steps.flatMap((step) => (step.kind === 'retired' ? [[step.field.fieldId, step.field.name] as const] : [])),
  );
  const affectedFilters =
    retiredNames.size === 0
      ? []
      : (
          await readModels.read<AffectedFilter>(readRequest, (tables) =>
            filtersOnFields(tables, viewer, { typeId, ...(only !== undefined && { only }) }, [...retiredNames.keys()]),
          )
        ).rows;
  const countCells = (kind: SchemaIssue['kind'], dataSets: readonly CheckedDataSet[]) =>
    sum(dataSets.flatMap(({ counts }) => counts.filter((_, check) => checks[check]?.kind === kind)));
  const hidden = checkedDataSets.filter((dataSet) => !viewer.hasDeclaredLevel(dataSet));
  const body: SchemaPreview = {
    problems: toProblemViews(problems, type.fields, toDependencyAnalysis(type.dependants, viewer)),
    steps: steps.map(toStepView),
    datasets: previewed.map(({ id, name, instanceCount, counts }) => ({
      id,
      name,
      instanceCount,
      issues: checks.flatMap(({ field, kind, rule }, check) => {
        const count = counts[check] ?? 0;
        if (count === 0) return [];
        const own = examples.filter((example) => example.dataSetId === id && example.check === check);
        return [
          {
            field: field.name,
            kind,
            rule,
            count,
            examples: own.map(({ instanceId, key, value }) => ({ instanceId, key, value })),
          },
        ];
      }),
    })),
    others: {
      untouched: readable.length - withAffectedRows.length,
      more: withAffectedRows.length - previewed.length,
      hidden: hidden.length,
      hiddenCells: countCells('TYPE', hidden) + countCells('RETIRED', hidden),
    },
    savedFilters: affectedFilters.map(({ id, name, dataSet, fieldIds }) => ({
      id,
      name,
      dataSet,
      fields: fieldIds.flatMap((fieldId) => retiredNames.get(fieldId) ?? []),
    })),
    broken: countCells('TYPE', checkedDataSets),
    retired: countCells('RETIRED', checkedDataSets),
  };
  return answer(typeResult, body);
}

/** Removes `asOf` from a request: a preview always uses current data. */
const withoutAsOf = ({ minPosition }: ReadRequest): ReadRequest => ({ minPosition });

export const schemaPreviewRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'post',
    '/api/reference-types/:id/schema-preview',
    { route: '/reference-types', level: 'READ' },
    {
      summary: 'Preview a change of the fields of a reference type',
      example: {
        body: {
          schemas: [
            { name: 'code', dataType: 'string', isPrimaryKey: true },
            { name: 'name', dataType: 'string' },
          ],
        },
      },
      answers: { 200: SchemaPreview },
      body: ChangeSchema,
    },
    (request) =>
      preview(readModels, withoutAsOf(request), viewerOf(request), request.body, { typeId: idParam(request) }),
  ),

  route(
    'post',
    '/api/reference-data/:id/schema-preview',
    { level: 'READ' },
    {
      summary: 'Preview a change of the fields in one data set',
      example: {
        body: {
          schemas: [
            { name: 'code', dataType: 'string', isPrimaryKey: true },
            { name: 'name', dataType: 'string' },
          ],
        },
      },
      answers: { 200: SchemaPreview },
      body: ChangeSchema,
    },
    async (request) => {
      const viewer = viewerOf(request);
      const { id, typeId } = await findReadableDataSet(readModels, withoutAsOf(request), viewer, idParam(request));
      return preview(readModels, withoutAsOf(request), viewer, request.body, { typeId, only: id });
    },
  ),
];
