/** The change feed for other systems. A reader gets only the changes that its grants allow. */
import {
  type AccessState,
  type Actor,
  allowedRoutes,
  type ChangeEvent,
  ChangesPage,
  ChangesQuery,
  canReceiveCollection,
  isActive,
  isAdministrator,
  isProductEvent,
  type LiveChange,
  type LiveEntity,
  levelOnDataSet,
  mayOpen,
  Refusal,
  WORDS,
} from '@rdm/contracts';
import { actorOf, type Principal, type Route, route } from '@rdm/platform';
import { type GoverningDataSet, openGoverningDataSets } from '../access/governing-data-sets.ts';
import type { QueryContext } from '../query-context.ts';
import type { ReadModels, Table, Tables } from '../read-models/read-models.ts';
import { identifier, type Sql, sql } from '../read-models/sql.ts';

/** A stored change, with the data sets whose grants decide who may read it. */
export interface StoredChange {
  change: LiveChange;
  at: string;
  dataSets: GoverningDataSet[];
}

export interface ChangePage {
  changes: StoredChange[];
  /** Whether more changes may follow. */
  isFull: boolean;
  position: string;
}

/** Reads stored changes after a seq, oldest first, without checking grants. */
export type ReadChanges = (after: number) => Promise<ChangePage>;

/** The number of changes read at a time. */
const PAGE_SIZE = 1_000;
/**
 * A request stops after about this many checked changes. A page without readable changes still has a next cursor.
 */
const CHECKED_MAX = 20_000;

/** The tables with the versions of an entity's rows, and the column of the parent. Other entities have no versions. */
const VERSIONS: Partial<Record<LiveEntity, { current: Table; history: Table; parent?: string }>> = {
  'reference-type': { current: 'reference_data_types', history: 'reference_data_types_history' },
  'data-set': { current: 'reference_data_sets', history: 'reference_data_sets_history' },
  instance: { current: 'instances', history: 'instances_history', parent: 'data_set_id' },
  crosswalk: { current: 'crosswalk_mappings', history: 'crosswalk_mappings_history' },
  mapping: { current: 'crosswalk_mapping_values', history: 'crosswalk_mapping_values_history', parent: 'crosswalk_id' },
  relationship: { current: 'relationships', history: 'relationships_history' },
  'relationship-value': {
    current: 'relationship_values',
    history: 'relationship_values_history',
    parent: 'relationship_id',
  },
  collection: { current: 'reference_data_collections', history: 'reference_data_collections_history' },
};

type ChangeRow = Omit<LiveChange, 'revisions'> & { at: string; dataSetIds: number[] };

const selectChanges = (tables: Tables, after: number): Sql => sql`
  SELECT c.seq, c.position, c.type, c.entity, c.entity_id AS "entityId", c.ids, c.count, c.changed_fields AS "changedFields",
         c.actor_id AS "actorId", c.command_id AS "commandId", c.data_set_ids AS "dataSetIds", c.at
    FROM ${tables('changes')} c WHERE c.seq > ${after}::bigint ORDER BY c.seq LIMIT ${PAGE_SIZE}`;

interface Version {
  seq: number;
  id: number;
  revision: number;
}

/** Reads the revision of each changed row: `valid_from` of a version is the seq of the change. */
async function readVersions(
  readModels: ReadModels,
  entity: LiveEntity,
  rows: readonly ChangeRow[],
): Promise<Version[]> {
  const versionTables = VERSIONS[entity];
  const wanted = rows.flatMap(({ seq, entity: changedEntity, entityId, ids }) =>
    changedEntity === entity ? (ids ?? []).map((id) => ({ seq, parent: entityId, id })) : [],
  );
  if (!versionTables || wanted.length === 0) return [];
  const joined = (table: Sql) => {
    const parent = versionTables.parent ? sql`AND v.${identifier(versionTables.parent)} = w.parent` : sql``;
    return sql`SELECT w.seq, w.id, v.revision FROM wanted w
      JOIN ${table} v ON v.id = w.id AND v.valid_from = w.seq ${parent}`;
  };
  const { rows: versions } = await readModels.read<Version>(
    {},
    (tables) => sql`WITH wanted AS (
        SELECT * FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) AS w(seq bigint, parent bigint, id bigint))
      ${joined(tables.withDeleted(versionTables.current))} UNION ALL ${joined(tables(versionTables.history))}`,
  );
  return versions;
}

export function openChangeReader(readModels: ReadModels): ReadChanges {
  const governing = openGoverningDataSets(readModels);
  return async (after) => {
    const { rows, position } = await readModels.read<ChangeRow>({}, (tables) => selectChanges(tables, after));
    const entities = [...new Set(rows.map(({ entity }) => entity))];
    const [dataSets, versions] = await Promise.all([
      governing(rows.map(({ dataSetIds }) => dataSetIds)),
      Promise.all(entities.map((entity) => readVersions(readModels, entity, rows))),
    ]);
    const revisionOf = new Map(versions.flat().map(({ seq, id, revision }) => [`${seq} ${id}`, revision]));
    return {
      position,
      isFull: rows.length === PAGE_SIZE,
      changes: rows.map(({ dataSetIds: _, at, ...row }, index) => {
        const revisions = row.ids?.map((id) => revisionOf.get(`${row.seq} ${id}`));
        const hasAll = revisions !== undefined && !revisions.includes(undefined);
        return {
          change: { ...row, revisions: hasAll ? (revisions as number[]) : null },
          at,
          dataSets: dataSets[index] ?? [],
        };
      }),
    };
  };
}

/**
 * Whether the actor is active and may read the change by current grants. A change of data sets needs a level on each
 * of these data sets.
 */
export function mayReadChange(access: AccessState, actor: Actor, { change, dataSets }: StoredChange): boolean {
  if (!isActive(access, actor)) return false;
  if (change.entity === 'collection') return canReceiveCollection(access, actor, change.entityId);
  if (dataSets.length > 0) return dataSets.every((dataSet) => levelOnDataSet(access, actor, dataSet) !== null);
  const isAdmin = isAdministrator(access, actor);
  if (change.entity === 'reference-type') {
    return mayOpen('/reference-types', { isAdmin, routes: allowedRoutes(access, actor) });
  }
  return isAdmin || (change.entity === 'user' && change.entityId === actor);
}

export interface Cursor {
  logId: string;
  seq: number;
}

/** Reads the id of the log and the seq of its last projected event. */
export async function readFeedEnd({ readModels, pool }: Pick<QueryContext, 'readModels' | 'pool'>): Promise<Cursor> {
  // While the projector reads the log again, valid cursors may be after the last projected event: `parseCursor` would
  // refuse these cursors.
  if (!readModels.isComplete()) throw new Refusal('STARTING', WORDS.starting, undefined, 1);
  return (await pool.query('SELECT log_id AS "logId", seq FROM platform.reader')).rows[0] as Cursor;
}

/**
 * Returns the seq of the cursor; undefined without a cursor. Refuses an invalid cursor, a cursor of another log, and a
 * cursor after the end of this log.
 */
export function parseCursor(text: string | undefined, { logId, seq: end }: Cursor): number | undefined {
  if (text === undefined || text === '') return undefined;
  const [, log = '', digits = ''] = /^([0-9a-fA-F-]{36}):(\d{1,15})$/.exec(text) ?? [];
  if (log === '') throw new Refusal('INVALID', 'after must have the form <logId>:<seq>, as the id of a change has');
  const restart = { logId, after: `${logId}:0` };
  if (log.toLowerCase() !== logId) throw new Refusal('GONE', 'These changes are of another log: start again', restart);
  const seq = Number(digits);
  if (seq > end) throw new Refusal('GONE', `The log ends at ${end}, before this change: start again`, restart);
  return seq;
}

export function parseTypes(text: string | undefined): ReadonlySet<string> | undefined {
  const types = text?.split(',').flatMap((type) => type.trim() || []);
  const unknownType = types?.find((type) => !isProductEvent(type));
  if (unknownType !== undefined) throw new Refusal('INVALID', `There is no event type “${unknownType.slice(0, 100)}”`);
  return types === undefined || types.length === 0 ? undefined : new Set(types);
}

export const toChangeEvent = (logId: string, { change, at }: StoredChange): ChangeEvent => ({
  specversion: '1.0',
  id: `${logId}:${change.seq}`,
  source: `urn:uuid:${logId}`,
  type: change.type,
  subject: `${change.entity}/${change.entityId}`,
  time: new Date(at).toISOString(),
  datacontenttype: 'application/json',
  data: change,
});

/** Refuses an API key that may only translate. */
export function requireReader({ apiKey }: Principal): void {
  if (apiKey && !apiKey.scopes.some(({ scope }) => scope !== 'translate')) {
    throw new Refusal('FORBIDDEN', 'This API key has no read scope');
  }
}

const CLOUD_EVENTS_BATCH = 'application/cloudevents-batch+json';

export const changeRoutes = ({ readModels, pool, access, streams }: QueryContext): Route[] => {
  const read = openChangeReader(readModels);
  return [
    route(
      'get',
      '/api/changes',
      { signedIn: true },
      {
        summary: 'Read a page of the change feed',
        answers: { 200: ChangesPage },
        errors: ['GONE'],
        query: ChangesQuery,
      },
      async (request) => {
        const { principal, query } = request;
        requireReader(principal);
        const end = await readFeedEnd({ readModels, pool });
        const { logId } = end;
        const begin = parseCursor(query.after, end) ?? 0;
        const types = parseTypes(query.types);
        const items: ChangeEvent[] = [];
        let seq = begin;
        let page: ChangePage;
        do {
          page = await read(seq);
          const snapshot = access.snapshot();
          for (const stored of page.changes) {
            if (items.length === query.limit) break;
            seq = stored.change.seq;
            if (types && !types.has(stored.change.type)) continue;
            if (mayReadChange(snapshot, actorOf(principal), stored)) items.push(toChangeEvent(logId, stored));
          }
        } while (page.isFull && items.length < query.limit && seq - begin < CHECKED_MAX);
        const hasMore = page.isFull || (page.changes.at(-1)?.change.seq ?? seq) > seq;
        const answered: ChangesPage = { items, next: `${logId}:${seq}`, more: hasMore, position: page.position };
        const headers = { 'X-Next': answered.next, 'Cache-Control': 'no-store' };
        if (!request.raw.get('Accept')?.includes(CLOUD_EVENTS_BATCH))
          return { body: answered, headers, position: page.position };
        request.response.type(CLOUD_EVENTS_BATCH);
        return { body: items, headers, position: page.position };
      },
    ),

    route(
      'get',
      '/api/changes/stream',
      { signedIn: true },
      {
        summary: 'Follow the change feed as server-sent events',
        answers: { 200: ['text/event-stream'] },
        errors: ['GONE'],
        query: ChangesQuery,
      },
      async (request) => {
        requireReader(request.principal);
        await streams.sendEvents(request);
        return 'sent';
      },
    ),
  ];
};
