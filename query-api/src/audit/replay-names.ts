/** Names that a replay shows instead of ids: current names of entities and rows, and field names as of each step. */
import { flatten, namedAt, parseStream, type ReplayStep } from '@rdm/contracts';
import { displayedKey } from '../access/row-keys.ts';
import { entityName } from '../entities/audited-names.ts';
import type { ReadModels, ReadRequest, Tables } from '../read-models/read-models.ts';
import { join, type Sql, sql } from '../read-models/sql.ts';
import type { Subject } from './replay.ts';

type Names = Record<string, string>;
type UnnamedStep = Omit<ReplayStep, 'names'>;

const ID = sql`split_part(n.ref, ':', 2)::bigint`;

/** Returns the data sets to whose fields and rows the events of a stream refer, with the prefix of these references. */
function dataSetsOf(tables: Tables, { stream }: Subject): [prefix: '' | 'source' | 'target', dataSet: Sql][] {
  const { category, id } = parseStream(stream);
  const ends = (
    table: 'crosswalk_mappings' | 'relationships',
    source: Sql,
    target: Sql,
  ): ReturnType<typeof dataSetsOf> => {
    const end = (column: Sql) =>
      sql`(SELECT ${column} FROM ${tables.currentWithDeleted(table)} e WHERE e.id = ${id}::bigint)`;
    return [
      ['source', end(source)],
      ['target', end(target)],
    ];
  };
  switch (category) {
    case 'dataSet':
    case 'instances':
      return [['', sql`${id}::bigint`]];
    case 'crosswalk':
    case 'mappings':
      return ends('crosswalk_mappings', sql`e.source_system_id`, sql`e.target_system_id`);
    case 'relationship':
    case 'relationshipValues':
      return ends('relationships', sql`e.source_data_set_id`, sql`e.target_data_set_id`);
    default:
      return [];
  }
}

/** Selects the names of the fields and attributes to which the events of the subject can refer, as of each seq. */
function selectFieldNames(tables: Tables, subject: Subject, seqs: readonly number[]): Sql {
  const { category, id } = parseStream(subject.stream);
  const types = tables.at('reference_data_types', sql`s.seq`);
  const dataSets = tables.at('reference_data_sets', sql`s.seq`);
  const fields = (prefix: string, from: Sql, where: Sql, member = sql`'fieldId'`) =>
    sql`SELECT s.seq, ${`${prefix}:`}::text || (f ->> ${member}) AS ref, f ->> 'name' AS name FROM unnest(${seqs}::bigint[]) s (seq), ${from} f WHERE ${where}`;
  const ofType = sql`${types} t, jsonb_array_elements(t.fields)`;
  const parts = dataSetsOf(tables, subject).map(([prefix, dataSet]) =>
    fields(
      prefix === '' ? 'field' : `${prefix}Field`,
      sql`${dataSets} d, ${ofType}`,
      sql`d.id = ${dataSet} AND t.id = d.type_id`,
    ),
  );
  if (category === 'referenceType') parts.push(fields('field', ofType, sql`t.id = ${id}::bigint`));
  if (category.startsWith('relationship')) {
    const attributes = sql`${tables.at('relationships', sql`s.seq`)} r, jsonb_array_elements(r.attributes)`;
    parts.push(fields('attribute', attributes, sql`r.id = ${id}::bigint`, sql`'attributeId'`));
  }
  return parts.length === 0
    ? sql`SELECT WHERE false`
    : sql`SELECT seq, json_object_agg(ref, name) AS names FROM (${join(parts, ' UNION ALL ')}) f GROUP BY seq`;
}

/** Selects `ref, name` of entities and of rows by their references. */
function selectNames(tables: Tables, subject: Subject, refs: readonly string[]): Sql {
  const kind = sql`split_part(n.ref, ':', 1)`;
  const from = sql`FROM unnest(${refs}::text[]) n (ref)`;
  const rows = dataSetsOf(tables, subject).map(
    ([prefix, dataSet]) => sql`SELECT n.ref, ${displayedKey(sql`i.key`)} AS name ${from}
      JOIN ${tables.current('instances')} i ON i.data_set_id = ${dataSet} AND i.id = ${ID}
      WHERE ${kind} = ${prefix === '' ? 'row' : `${prefix}Row`}`,
  );
  return join([sql`SELECT n.ref, ${entityName(tables, kind, ID)} AS name ${from}`, ...rows], ' UNION ALL ');
}

/** Adds names to the steps. A step has only names that are new or have changed since the earlier steps. */
export async function withNames(
  readModels: ReadModels,
  readRequest: ReadRequest,
  subject: Subject,
  steps: readonly UnnamedStep[],
): Promise<ReplayStep[]> {
  const refsOf = ({ data, state }: UnnamedStep): string[] =>
    [flatten(data), flatten(state)].flatMap((flat) => Object.keys(flat).flatMap((path) => namedAt(flat, path) ?? []));
  const { category, id } = parseStream(subject.stream);
  const subjectRef =
    subject.entity === undefined || subject.entity.kind === 'row'
      ? `${category}:${id}`
      : `${subject.entity.kind}:${subject.entity.id}`;
  const refs = [...new Set([subjectRef, ...steps.flatMap(refsOf)])].filter(
    (ref) => /^\w+:\d+$/.test(ref) && !ref.startsWith('user:'),
  );
  const [named, fields] = await Promise.all([
    readModels.read<{ ref: string; name: string | null }>(readRequest, (tables) => selectNames(tables, subject, refs)),
    readModels.read<{ seq: number; names: Names }>(readRequest, (tables) =>
      selectFieldNames(
        tables,
        subject,
        steps.map(({ seq }) => seq),
      ),
    ),
  ]);
  const entities: Names = Object.fromEntries(
    named.rows.flatMap(({ ref, name }) => (name === null ? [] : [[ref, name]])),
  );
  const fieldsAt = new Map(fields.rows.map(({ seq, names }) => [seq, names]));
  const previousNames: Names = {};
  return steps.map((step) => {
    const namesAtStep: Names = { ...fieldsAt.get(step.seq) };
    for (const ref of [subjectRef, ...refsOf(step)]) if (entities[ref] !== undefined) namesAtStep[ref] = entities[ref];
    const names = Object.fromEntries(Object.entries(namesAtStep).filter(([ref, name]) => previousNames[ref] !== name));
    Object.assign(previousNames, names);
    return { ...step, names };
  });
}
