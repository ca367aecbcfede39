/** Finds a data set that the viewer may read, with its fields. Reads, exports and selections of its rows start with this. */
import { type FilterConfigurationView, type FilterGroup, listKeyOf, Refusal, type TypeField } from '@rdm/contracts';
import { type ApiAnswer, idParam, type Principal, SESSION_LIVES } from '@rdm/platform';
import { configurationsVersion, versionOfConfigurations } from '../entities/filters.ts';
import { readConfigurations, requireAllowed } from '../list/filter-rules.ts';
import { filterOf } from '../list/list-statement.ts';
import type { ReadModels, ReadRequest, Tables } from '../read-models/read-models.ts';
import { all, rawSql, type Sql, sql } from '../read-models/sql.ts';
import { type Viewer, viewerOf } from './viewer.ts';

export interface ReadableDataSet {
  id: number;
  name: string;
  typeId: number;
  createdBy: number | null;
  keyFieldIds: number[];
  /** Fields in use, in their order. */
  fields: TypeField[];
  /** All fields, retired ones included: history refers to them. */
  allFields: TypeField[];
  /** The seqs with which the read versions of the data set and of its type begin. */
  validFrom: [dataSet: number, type: number];
}

/** Throws 404 for a data set that the viewer may not read. */
export async function findReadableDataSet(
  readModels: ReadModels,
  readRequest: ReadRequest,
  viewer: Viewer,
  id: number,
): Promise<ReadableDataSet> {
  const found = await readModels.read<Omit<ReadableDataSet, 'fields'>>(
    readRequest,
    (
      tables,
    ) => sql`SELECT d.id, d.name, d.type_id AS "typeId", d.created_by AS "createdBy", d.key_field_ids AS "keyFieldIds", t.fields AS "allFields",
        json_build_array(d.valid_from, t.valid_from) AS "validFrom"
      FROM ${tables('reference_data_sets')} d JOIN ${tables('reference_data_types')} t ON t.id = d.type_id
      WHERE d.id = ${id} AND ${viewer.hasLevelOnDataSet(sql`d.id`, sql`d.created_by`)}`,
    { isFrequent: true },
  );
  const dataSet = found.one();
  return { ...dataSet, fields: dataSet.allFields.filter((field) => !field.retired) };
}

/** Condition: the data set and its type still have the versions that were read. */
const isUnchanged = (tables: Tables, { id, validFrom: [dataSet, type] }: ReadableDataSet): Sql =>
  sql`EXISTS (SELECT FROM ${tables('reference_data_sets')} d JOIN ${tables('reference_data_types')} t ON t.id = d.type_id
    WHERE d.id = ${id} AND d.valid_from = ${dataSet} AND t.valid_from = ${type})`;

/** Condition: the session is still valid. */
const isSessionValid = ({ sessionId }: Principal): Sql =>
  sql`EXISTS (SELECT FROM identity.sessions s JOIN identity.users u ON u.id = s.user_id
    WHERE s.id = ${sessionId}::uuid AND ${rawSql(SESSION_LIVES)} AND NOT u.require_password_change)`;

/** Maximum number of data sets in the cache. */
const CACHED_DATA_SETS = 500;

interface CachedDataSet {
  dataSet: ReadableDataSet;
  /** The filter configurations for its rows; undefined until the first request with a filter has read them. */
  configurations?: FilterConfigurationView[];
}

type DataSetRequest = ReadRequest &
  Parameters<typeof viewerOf>[0] & { principal: Principal; params: Record<string, string>; query: FilterQuery };
type FilterQuery = { asOf?: string | undefined; filter?: string | undefined };
/** Reads the answer of a route. Returns undefined if the SQL condition `provided` does not hold in the snapshot of the read. */
type ReadDataSet = (dataSet: ReadableDataSet, provided?: (tables: Tables) => Sql) => Promise<ApiAnswer | undefined>;

/**
 * Returns a function that answers a request for rows of a data set, in one round trip if possible. It uses the cached
 * data set and filter configurations on the condition that, in the snapshot of the answer, both are unchanged and the
 * session is valid (docs/decisions/0023). If they are not cached or the condition fails, it reads the data set and its
 * filter configurations first.
 */
export function openDataSetReads(
  readModels: ReadModels,
): (request: DataSetRequest, read: ReadDataSet) => Promise<ApiAnswer> {
  const cache = new Map<number, CachedDataSet>();

  /**
   * Answers a request with the cached data set. Returns undefined if the caller must read the current data set first:
   * the data set or its filter configurations are not cached or have changed, the viewer may not read the data set,
   * the session is not valid, or the request was refused. Throws if a limit is reached.
   */
  const fromCache = async (request: DataSetRequest, id: number, filter: FilterGroup | undefined, read: ReadDataSet) => {
    const cached = cache.get(id);
    const configurations = filter && cached?.configurations;
    if (!cached || (filter && !configurations) || !viewerOf(request).hasDeclaredLevel(cached.dataSet)) return undefined;
    const { principal } = request;
    const entity = listKeyOf('data-set', id);
    const isCurrent = (tables: Tables) => {
      const conditions = [isUnchanged(tables, cached.dataSet)];
      if (configurations) {
        conditions.push(sql`${configurationsVersion(tables, entity)} = ${versionOfConfigurations(configurations)}`);
      }
      if (principal.unconfirmed) conditions.push(isSessionValid(principal));
      return all(conditions);
    };
    try {
      if (filter && configurations) requireAllowed(configurations, filter);
      const answered = await read(cached.dataSet, isCurrent);
      if (answered) principal.unconfirmed = false;
      return answered;
    } catch (error) {
      // Except at a limit, an outdated cached data set may be the cause of the refusal: the caller reads the current
      // one and tries again.
      if (!(error instanceof Refusal) || error.code === 'TOO_MANY_REQUESTS') throw error;
      return undefined;
    }
  };

  return async (request, read) => {
    const id = idParam(request);
    const isPast = Boolean(request.query.asOf);
    const filter = filterOf(request.query);
    const answered = isPast ? undefined : await fromCache(request, id, filter, read);
    if (answered) return answered;
    const viewer = viewerOf(request);
    const dataSet = await findReadableDataSet(readModels, request, viewer, id);
    const configurations = filter && (await readConfigurations(readModels, viewer, listKeyOf('data-set', id)));
    if (!isPast) {
      cache.delete(id);
      cache.set(id, { dataSet, ...(configurations && { configurations }) });
      const [oldest] = cache.keys();
      if (cache.size > CACHED_DATA_SETS && oldest !== undefined) cache.delete(oldest);
    }
    if (filter && configurations) requireAllowed(configurations, filter);
    return (await read(dataSet)) as ApiAnswer;
  };
}
