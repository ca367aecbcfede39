/** A data set that the viewer may read, with its fields: what its instances, exports and selections start from. */
import { type FilterConfigurationView, type FilterGroup, listEntity, Refusal, type TypeField } from '@rdm/contracts';
import { type ApiAnswer, idParam, type Principal, SESSION_LIVES } from '@rdm/platform';
import { configurationsVersion, versionOf } from '../entities/filters.ts';
import { configurationsOf, holdTo } from '../list/filter-rules.ts';
import { filterOf } from '../list/list-statement.ts';
import type { Asked, ReadModels, Tables } from '../read-models/read-models.ts';
import { all, type Sql, sql, written } from '../read-models/sql.ts';
import { type Viewer, viewerOf } from './viewer.ts';

export interface ReadableDataSet {
  id: number;
  name: string;
  typeId: number;
  createdBy: number | null;
  keyFieldIds: number[];
  /** Fields in use, in their order. */
  fields: TypeField[];
  /** All fields there ever were: history speaks of retired ones too. */
  everyField: TypeField[];
  /** Which versions of the data set and of its type say so. */
  validFrom: [dataSet: number, type: number];
}

/** Answers 404 for one that may not be read. */
export async function readableDataSet(
  readModels: ReadModels,
  asked: Asked,
  viewer: Viewer,
  id: number,
): Promise<ReadableDataSet> {
  const found = await readModels.read<Omit<ReadableDataSet, 'fields'>>(
    asked,
    (
      tables,
    ) => sql`SELECT d.id, d.name, d.type_id AS "typeId", d.created_by AS "createdBy", d.key_field_ids AS "keyFieldIds", t.fields AS "everyField",
        json_build_array(d.valid_from, t.valid_from) AS "validFrom"
      FROM ${tables('reference_data_sets')} d JOIN ${tables('reference_data_types')} t ON t.id = d.type_id
      WHERE d.id = ${id} AND ${viewer.mayReadDataSet(sql`d.id`, sql`d.created_by`)}`,
  );
  const dataSet = found.one();
  return { ...dataSet, fields: dataSet.everyField.filter((field) => !field.retired) };
}

/** Condition: a data set and its type are what they were when they were read. */
const isUnchanged = (tables: Tables, { id, validFrom: [dataSet, type] }: ReadableDataSet): Sql =>
  sql`EXISTS (SELECT FROM ${tables('reference_data_sets')} d JOIN ${tables('reference_data_types')} t ON t.id = d.type_id
    WHERE d.id = ${id} AND d.valid_from = ${dataSet} AND t.valid_from = ${type})`;

/** Condition: the session still signs its user in. */
const signsIn = ({ sessionId }: Principal): Sql =>
  sql`EXISTS (SELECT FROM identity.sessions s JOIN identity.users u ON u.id = s.user_id
    WHERE s.id = ${sessionId}::uuid AND ${written(SESSION_LIVES)} AND NOT u.require_password_change)`;

/** So many data sets are remembered. */
const REMEMBERED = 500;

interface Remembered {
  dataSet: ReadableDataSet;
  /** By what its rows may be filtered; read when somebody first filters them. */
  configurations?: FilterConfigurationView[];
}

type Request = Asked &
  Parameters<typeof viewerOf>[0] & { principal: Principal; params: Record<string, string>; query: Filtered };
type Filtered = { asOf?: string | undefined; filter?: string | undefined };
/** Undefined where what it is provided does not hold. */
type Read = (dataSet: ReadableDataSet, provided?: (tables: Tables) => Sql) => Promise<ApiAnswer | undefined>;

/**
 * Reads of the data set that a request names, in one round trip: with the data set and its filter configurations as they
 * were read last, provided that they still are that in the answer's own snapshot, and that the session lives there
 * (docs/decisions/0023). Else they are read first.
 */
export function openDataSetReads(readModels: ReadModels): (request: Request, read: Read) => Promise<ApiAnswer> {
  const remembered = new Map<number, Remembered>();

  /** Answers with what is remembered; undefined where that does not hold, or not all of it is remembered. */
  const fromMemory = async (request: Request, id: number, filter: FilterGroup | undefined, read: Read) => {
    const known = remembered.get(id);
    const configurations = filter && known?.configurations;
    if (!known || (filter && !configurations) || !viewerOf(request).mayRead(known.dataSet)) return undefined;
    const { principal } = request;
    const entity = listEntity('data-set', id);
    const holds = (tables: Tables) => {
      const conditions = [isUnchanged(tables, known.dataSet)];
      if (configurations) {
        conditions.push(sql`${configurationsVersion(tables, entity)} = ${versionOf(configurations)}`);
      }
      if (principal.unconfirmed) conditions.push(signsIn(principal));
      return all(conditions);
    };
    try {
      if (filter && configurations) holdTo(configurations, filter);
      const answered = await read(known.dataSet, holds);
      if (answered) principal.unconfirmed = false;
      return answered;
    } catch (error) {
      // What is refused may be so for what the data set was.
      if (!(error instanceof Refusal)) throw error;
      return undefined;
    }
  };

  return async (request, read) => {
    const id = idParam(request);
    const isPast = Boolean(request.query.asOf);
    const filter = filterOf(request.query);
    const answered = isPast ? undefined : await fromMemory(request, id, filter, read);
    if (answered) return answered;
    const viewer = viewerOf(request);
    const dataSet = await readableDataSet(readModels, request, viewer, id);
    const configurations = filter && (await configurationsOf(readModels, viewer, listEntity('data-set', id)));
    if (!isPast) {
      remembered.delete(id);
      remembered.set(id, { dataSet, ...(configurations && { configurations }) });
      const [oldest] = remembered.keys();
      if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    }
    if (filter && configurations) holdTo(configurations, filter);
    return (await read(dataSet)) as ApiAnswer;
  };
}
