/** Reference data types: the list and its parts as specification §7 shapes them, dependencies, and the raw events. */
import {
  isInUse,
  isKeyOfDataSets,
  type ReferenceTypeView,
  type SchemaFieldView,
  streams,
  type TypeField,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { analyse, type Dependants, dependants } from './dependencies.ts';
import type { Floor } from './floor.ts';
import { answer, answerJson, type Tables } from './read-models.ts';
import { type Sql, sql } from './sql.ts';
import { viewerOf } from './viewer.ts';

/** Events the debug page shows, the last ones first. */
const EVENTS_SHOWN = 100;

const typeView = (tables: Tables, condition: Sql): Sql => sql`
  SELECT t.id, t.name, t.description, t.revision,
    (SELECT count(*) FROM jsonb_array_elements(t.fields) f WHERE NOT (f ->> 'retired')::boolean) AS "schemaCount",
    cardinality(t.data_set_ids) AS "dataSetCount",
    t.created_at AS "createdAt", t.updated_at AS "updatedAt"
  FROM ${tables('reference_data_types')} t WHERE ${condition} ORDER BY lower(t.name), t.id`;

const READS_TYPES = { route: '/reference-types' } as const;

export const referenceTypeRoutes = ({ readModels, store }: Floor): Route[] => [
  route('get', '/api/reference-types', READS_TYPES, {}, async (request) => {
    const found = await readModels.read<ReferenceTypeView>(request, (tables) => typeView(tables, sql`true`));
    return answerJson(found, found.json);
  }),

  route('get', '/api/reference-types/:id', READS_TYPES, {}, async (request) => {
    const id = idParam(request);
    const found = await readModels.read<ReferenceTypeView>(request, (tables) => typeView(tables, sql`t.id = ${id}`));
    return answer(found, found.one());
  }),

  route('get', '/api/reference-types/:id/schemas', READS_TYPES, {}, async (request) => {
    const id = idParam(request);
    const found = await readModels.read<{ fields: TypeField[] }>(
      request,
      (tables) => sql`SELECT t.fields FROM ${tables('reference_data_types')} t WHERE t.id = ${id}`,
    );
    const fields: SchemaFieldView[] = found
      .one()
      .fields.filter(isInUse)
      .map((field) => ({
        id: field.fieldId,
        fieldId: field.fieldId,
        referenceDataTypeId: id,
        name: field.name,
        dataType: field.dataType,
        isPrimaryKey: field.isPrimaryKey,
        isReferenced: field.referencedBy.length > 0,
        isKeyOfDataSets: isKeyOfDataSets(field),
      }));
    return answer(found, fields);
  }),

  route('get', '/api/reference-types/:id/dependencies', { ...READS_TYPES, level: 'READ' }, {}, async (request) => {
    const id = idParam(request);
    const found = await readModels.read<Dependants>(request, (tables) => {
      const ids = sql`SELECT d.id FROM ${tables('reference_data_sets')} d WHERE d.type_id = ${id}`;
      const exists = sql`EXISTS (SELECT FROM ${tables('reference_data_types')} e WHERE e.id = ${id})`;
      return sql`${dependants(tables, { ids, typeId: sql`${id}::bigint` })} WHERE ${exists}`;
    });
    return answer(found, analyse(found.one(), viewerOf(request)));
  }),

  // Raw, from the log itself: what the debug page shows beside the projected schema.
  route('get', '/api/reference-types/:id/events', READS_TYPES, {}, async (request) => {
    const stream = streams.referenceType(idParam(request));
    const last = await store.tail(stream);
    const items = [];
    if (last) {
      for await (const event of store.read(stream, Math.max(0, last.revision - EVENTS_SHOWN + 1))) {
        items.push({ ...event, position: String(event.position) });
      }
    }
    return { body: { stream, revision: last?.revision ?? null, items: items.reverse() } };
  }),
];
