/** Routes of reference types: the list and the fields in the shape of specification §7, dependants, and raw events. */

import {
  type Dates,
  DependencyAnalysis,
  isActiveField,
  isKeyOfDataSets,
  ListQuery,
  REFERENCE_TYPE_FIELDS,
  type RecordedEvent,
  ReferenceTypeView,
  SchemaFieldView,
  streams,
  type TypeField,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { z } from 'zod';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import { type Dependants, selectDependants, toDependencyAnalysis } from '../entities/dependants.ts';
import { listWhole, oneRow } from '../list/list.ts';
import { fieldMap, type ListDefinition } from '../list/list-definition.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';

/** Maximum number of events on the debug page. */
const EVENTS_SHOWN = 100;

/** A list query without pages: the response is the whole list (specification §7). */
const TypesQuery = ListQuery.omit({ page: true, pageSize: true, fields: true });

function typeList(tables: Tables): ListDefinition {
  const activeFields = sql`jsonb_array_elements(t.fields) f WHERE NOT (f ->> 'retired')::boolean`;
  const schemaCount = sql`(SELECT count(*) FROM ${activeFields})`;
  const schemaNames = sql`(SELECT coalesce(jsonb_agg(f -> 'name'), '[]') FROM ${activeFields})`;
  const dataSetCount = sql`cardinality(t.data_set_ids)`;
  const columns = {
    id: sql`t.id`,
    name: sql`t.name`,
    description: sql`t.description`,
    revision: sql`t.revision`,
    schemaCount,
    dataSetCount,
    createdAt: sql`t.created_at`,
    updatedAt: sql`t.updated_at`,
  } satisfies Record<keyof ReferenceTypeView, unknown>;
  return {
    from: sql`${tables('reference_data_types')} t`,
    where: sql`true`,
    columns,
    fields: fieldMap(REFERENCE_TYPE_FIELDS, columns, { schemas: schemaNames }),
    search: [
      sql`t.id::text`,
      sql`t.name`,
      sql`t.description`,
      sql`(SELECT string_agg(f ->> 'name', ' ') FROM ${activeFields})`,
    ],
    id: sql`t.id`,
    defaultSort: { sql: sql`t.name`, dataType: 'string', order: 'ASC' },
  };
}

/** Returns the data set, crosswalk or relationship that an event names, such as `crosswalk:3`; otherwise undefined. */
function namedIn({ data }: RecordedEvent): string | undefined {
  const { dataSetId, by } = data as { dataSetId?: number; by?: { kind: string; id: number } };
  return dataSetId !== undefined ? `dataSet:${dataSetId}` : by && `${by.kind}:${by.id}`;
}

/** Selects the named entities that the viewer may read, including deleted crosswalks and relationships. */
function selectReadable(tables: Tables, viewer: Viewer, named: readonly string[]): Sql {
  const definitions = (kind: string, table: 'crosswalk_mappings' | 'relationships', ends: readonly Sql[]) =>
    sql`SELECT ${`${kind}:`}::text || e.id FROM ${tables.withDeleted(table)} e WHERE ${viewer.hasLevelOnAll(tables, ends)}`;
  const id = sql`substr(n.name, ${'dataSet:'.length + 1})::bigint`;
  return sql`SELECT n.name FROM unnest(${named}::text[]) n (name)
    WHERE n.name LIKE 'dataSet:%' AND ${viewer.hasLevelOnAll(tables, [id])}
      OR n.name IN (${definitions('crosswalk', 'crosswalk_mappings', [sql`e.source_system_id`, sql`e.target_system_id`])}
        UNION ALL ${definitions('relationship', 'relationships', [sql`e.source_data_set_id`, sql`e.target_data_set_id`])})`;
}

const READS_TYPES = { route: '/reference-types' } as const;

export const referenceTypeRoutes = ({ readModels, store }: QueryContext): Route[] => [
  route(
    'get',
    '/api/reference-types',
    READS_TYPES,
    { summary: 'List the reference types', answers: { 200: z.array(ReferenceTypeView) }, query: TypesQuery },
    (request) => listWhole(readModels, request, typeList),
  ),

  route(
    'get',
    '/api/reference-types/:id',
    READS_TYPES,
    { summary: 'Read a reference type', answers: { 200: ReferenceTypeView } },
    async (request) => {
      const id = idParam(request);
      const found = await readModels.read<ReferenceTypeView>(
        request,
        (tables) => oneRow(typeList(tables), sql`t.id = ${id}`),
        { isFrequent: true },
      );
      return answer(found, found.one());
    },
  ),

  route(
    'get',
    '/api/reference-types/:id/schemas',
    READS_TYPES,
    { summary: 'List the fields of a reference type', answers: { 200: z.array(SchemaFieldView) } },
    async (request) => {
      const id = idParam(request);
      const found = await readModels.read<{ fields: (TypeField & Dates)[] }>(
        request,
        (tables) => sql`SELECT t.fields FROM ${tables('reference_data_types')} t WHERE t.id = ${id}`,
      );
      const fields: SchemaFieldView[] = found
        .one()
        .fields.filter(isActiveField)
        .map((field) => ({
          id: field.fieldId,
          fieldId: field.fieldId,
          referenceDataTypeId: id,
          name: field.name,
          dataType: field.dataType,
          isPrimaryKey: field.isPrimaryKey,
          isReferenced: field.referencedBy.length > 0,
          isKeyOfDataSets: isKeyOfDataSets(field),
          createdAt: field.createdAt,
          updatedAt: field.updatedAt,
        }));
      return answer(found, fields);
    },
  ),

  route(
    'get',
    '/api/reference-types/:id/dependencies',
    { ...READS_TYPES, level: 'READ' },
    { summary: 'Read what depends on a reference type', answers: { 200: DependencyAnalysis } },
    async (request) => {
      const id = idParam(request);
      const found = await readModels.read<Dependants>(request, (tables) => {
        const ids = sql`SELECT d.id FROM ${tables('reference_data_sets')} d WHERE d.type_id = ${id}`;
        const exists = sql`EXISTS (SELECT FROM ${tables('reference_data_types')} e WHERE e.id = ${id})`;
        return sql`${selectDependants(tables, { ids, typeId: sql`${id}::bigint` })} WHERE ${exists}`;
      });
      return answer(found, toDependencyAnalysis(found.one(), viewerOf(request)));
    },
  ),

  // The debug page shows raw events from the log next to the projected schema.
  route(
    'get',
    '/api/reference-types/:id/events',
    { ...READS_TYPES, level: 'READ' },
    {
      summary: 'List the last events of a reference type',
      hasPast: false,
      errors: ['PURGED'],
      answers: {
        200: z.object({
          stream: z.string(),
          revision: z.number().nullable(),
          items: z.array(z.record(z.string(), z.unknown())),
          hidden: z
            .number()
            .describe(
              'The number of events that are left out because the caller may not read the data set, crosswalk or relationship that they name.',
            ),
        }),
      },
    },
    async (request) => {
      const stream = streams.referenceType(idParam(request));
      const last = await store.tail(stream);
      const events: RecordedEvent[] = [];
      if (last) {
        for await (const event of store.read(stream, Math.max(0, last.revision - EVENTS_SHOWN + 1))) events.push(event);
      }
      const named = [...new Set(events.flatMap((event) => namedIn(event) ?? []))];
      const readable = await readModels.read<{ name: string }>(request, (tables) =>
        selectReadable(tables, viewerOf(request), named),
      );
      const readableNames = new Set(readable.rows.map(({ name }) => name));
      const items = events
        .filter((event) => readableNames.has(namedIn(event) ?? '') || namedIn(event) === undefined)
        .map((event) => ({ ...event, position: String(event.position) }))
        .reverse();
      return { body: { stream, revision: last?.revision ?? null, items, hidden: events.length - items.length } };
    },
  ),
];
