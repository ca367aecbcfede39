/**
 * Caches crosswalks for translation in limited memory. Concurrent requests share one query for changes
 * (docs/decisions/0030).
 */
import type { Unmapped } from '@rdm/contracts';
import { batchLookups, type Log, type Pool, type Principal, SESSION_LIVES } from '@rdm/platform';
import type { ReadModels, Tables } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';
import { type MappingState, ServedMappings } from './served-mappings.ts';

/** The fields of a crosswalk that decide who may translate by it, whether its values are served, and the fallback. */
export interface TranslatedCrosswalk {
  id: number;
  isServed: boolean;
  unmapped: Unmapped | null;
  source: { id: number; createdBy: number | null };
  target: { id: number; createdBy: number | null };
}

/** A cached crosswalk at a position. */
export interface CrosswalkState {
  /** Undefined if the crosswalk does not exist. */
  crosswalk: TranslatedCrosswalk | undefined;
  mappings: ServedMappings;
  position: string;
}

export interface TranslationCache {
  /**
   * Returns the crosswalk with all changes projected before this call. Returns undefined if the caller must query
   * PostgreSQL: the crosswalk is too large or not loaded in time, or the read models are behind `minPosition`. Also
   * checks a session that is `unconfirmed`, that is, known only from memory, in the database, and sets
   * `principal.unconfirmed` to false if it is valid.
   */
  find(crosswalkId: number, request: CacheRequest): Promise<CrosswalkState | undefined>;
}

interface CacheRequest {
  minPosition?: bigint | undefined;
  principal: Principal;
}

export interface TranslationCacheOptions {
  readModels: ReadModels;
  pool: Pool;
  log: Log;
  bytesMax?: number;
  timeoutMs?: number;
}

/** A request waits this long for a crosswalk to be loaded; after this time, PostgreSQL answers the request. */
const LOAD_TIMEOUT_MS = 1_000;
const BYTES_MAX = 256 * 1024 * 1024;
/** Maximum number of cached crosswalks: each change of a data set is compared with all of them. */
const CROSSWALKS_MAX = 1_000;
/** After this time, a crosswalk that was too large can be loaded again, because it can have become smaller. */
const TOO_LARGE_FOR_MS = 600_000;

interface CachedCrosswalk {
  crosswalk: TranslatedCrosswalk | undefined;
  mappings: ServedMappings;
  /** The entry contains all changes up to this seq. */
  since: number;
  /** Whether a later change is known. */
  isStale: boolean;
  state: 'loading' | 'loaded' | 'failed';
  /** Settles when loading ends. */
  loading: Promise<void>;
  /** The query for changes, shared by concurrent requests. */
  refreshing: Promise<void> | undefined;
}

/** The result of a check for changes, from one snapshot. */
interface ChangeCheck {
  seq: number;
  position: string;
  /** The schemas of the serving builds: cached rows of other builds are invalid. */
  schemas: string;
  /** Seq of the oldest stored change; null if there is none. */
  oldest: number | null;
  changed: [entity: string, id: number][];
  /** The ids of the checked sessions that are valid. */
  alive: string[];
}

const PROJECTIONS = `name IN ('crosswalks', 'data_sets')`;
const CHANGE_CHECK = {
  name: 'translation-changes',
  text: `WITH reached AS MATERIALIZED (
      SELECT min(seq) AS seq, min(commit_position::numeric)::text AS position, string_agg(schema_name, ' ' ORDER BY name) AS schemas
        FROM platform.builds WHERE serving AND ${PROJECTIONS})
    SELECT reached.*, (SELECT min(c.seq) FROM platform.live_changes c) AS oldest,
      (SELECT coalesce(json_agg(DISTINCT jsonb_build_array(c.entity, c.entity_id)), '[]') FROM platform.live_changes c
        WHERE c.seq > $1 AND c.seq <= reached.seq AND c.entity IN ('crosswalk', 'mapping', 'data-set')) AS changed,
      (SELECT coalesce(json_agg(s.id), '[]') FROM identity.sessions s JOIN identity.users u ON u.id = s.user_id
        WHERE s.id = ANY($2::uuid[]) AND ${SESSION_LIVES} AND NOT u.require_password_change) AS alive
    FROM reached`,
};

export function openTranslationCache(options: TranslationCacheOptions): TranslationCache {
  const { readModels, pool, log, bytesMax = BYTES_MAX, timeoutMs = LOAD_TIMEOUT_MS } = options;
  /** The cached crosswalks; the least recently used is the first. */
  const cached = new Map<number, CachedCrosswalk>();
  /** For each crosswalk that was too large: the time from which it may be loaded again. */
  const tooLarge = new Map<number, number>();
  let lastCheck: { seq: number; schemas: string } | undefined;
  let lastLoad: Promise<void> = Promise.resolve();

  /** Marks changed crosswalks as stale; clears the cache if it may have missed changes, or if another build serves. */
  const applyCheck = (check: ChangeCheck) => {
    const isGap = lastCheck && check.seq > lastCheck.seq && (check.oldest === null || check.oldest > lastCheck.seq + 1);
    if (lastCheck && (isGap || check.schemas !== lastCheck.schemas || check.seq < lastCheck.seq)) cached.clear();
    for (const [entity, id] of check.changed) {
      if (entity !== 'data-set') {
        const entry = cached.get(id);
        if (entry) entry.isStale = true;
        continue;
      }
      for (const entry of cached.values()) {
        if (entry.crosswalk === undefined || entry.crosswalk.source.id === id || entry.crosswalk.target.id === id) {
          entry.isStale = true;
        }
      }
    }
    lastCheck = { seq: check.seq, schemas: check.schemas };
  };

  const checkForChanges = batchLookups(async (sessionIds: readonly (string | undefined)[]) => {
    const ids = [...new Set(sessionIds.filter((id) => id !== undefined))];
    const { rows } = await pool.query({ ...CHANGE_CHECK, values: [lastCheck?.seq ?? Number.MAX_SAFE_INTEGER, ids] });
    const check = rows[0] as ChangeCheck;
    applyCheck(check);
    const alive = new Set(check.alive);
    return sessionIds.map((id) => ({ ...check, isAlive: id !== undefined && alive.has(id) }));
  });

  /** Adds the changes since the last read to a cached crosswalk, from one snapshot. */
  const refresh = (id: number, entry: CachedCrosswalk): Promise<void> => {
    entry.refreshing ??= (async () => {
      // Reset before the read, because a check during the read may find a change that the read misses.
      entry.isStale = false;
      try {
        const { row } = await readModels.single<RefreshedCrosswalk>(
          {},
          (tables) => selectChangesSince(tables, id, entry.since),
          { isFrequent: true },
        );
        for (const mapping of row.mappings) entry.mappings.put(mapping);
        entry.crosswalk = row.crosswalk ?? undefined;
        entry.since = row.seq;
      } catch (error) {
        entry.isStale = true;
        throw error;
      } finally {
        entry.refreshing = undefined;
      }
    })();
    return entry.refreshing;
  };

  const load = async (id: number, entry: CachedCrosswalk) => {
    for await (const { rows } of readModels.stream<MappingState>({}, (tables) => selectServed(tables, id))) {
      for (const mapping of rows) entry.mappings.put(mapping);
      if (cached.get(id) !== entry) return;
      if (entry.mappings.bytes > bytesMax) {
        cached.delete(id);
        tooLarge.set(id, Date.now() + TOO_LARGE_FOR_MS);
        log.warn(
          { crosswalkId: id },
          'This crosswalk is too large to be kept in memory: it is translated by PostgreSQL',
        );
        return;
      }
    }
    await refresh(id, entry);
    entry.state = 'loaded';
    evict();
  };

  /** Queues a load: one runs at a time, because each takes a connection. Undefined if the crosswalk is too large. */
  const startLoading = (id: number, { seq }: ChangeCheck): CachedCrosswalk | undefined => {
    const until = tooLarge.get(id);
    if (until !== undefined && until > Date.now()) return undefined;
    tooLarge.delete(id);
    const entry: CachedCrosswalk = {
      crosswalk: undefined,
      mappings: new ServedMappings(),
      since: seq,
      isStale: false,
      state: 'loading',
      loading: Promise.resolve(),
      refreshing: undefined,
    };
    cached.set(id, entry);
    entry.loading = lastLoad.then(() =>
      load(id, entry).catch((error: unknown) => {
        log.warn({ err: error, crosswalkId: id }, 'A crosswalk could not be loaded: it is translated by PostgreSQL');
        entry.state = 'failed';
        cached.delete(id);
      }),
    );
    lastLoad = entry.loading;
    return entry;
  };

  const evict = () => {
    let bytes = 0;
    for (const { mappings } of cached.values()) bytes += mappings.bytes;
    for (const [id, { mappings }] of cached) {
      if (bytes <= bytesMax && cached.size <= CROSSWALKS_MAX) return;
      bytes -= mappings.bytes;
      cached.delete(id);
    }
  };

  return {
    async find(crosswalkId, { minPosition, principal }) {
      const check = await checkForChanges(principal.unconfirmed ? principal.sessionId : undefined);
      // An ended session stays unconfirmed: the route checks it again and reports the reason.
      if (check.isAlive) principal.unconfirmed = false;
      const entry = cached.get(crosswalkId) ?? startLoading(crosswalkId, check);
      if (entry?.state === 'loading') await settleWithin(entry.loading, timeoutMs);
      if (entry?.state !== 'loaded' || cached.get(crosswalkId) !== entry) return undefined;
      if (minPosition !== undefined && BigInt(check.position) < minPosition) return undefined;
      if (entry.refreshing) await entry.refreshing;
      if (entry.isStale) await refresh(crosswalkId, entry);
      cached.delete(crosswalkId);
      cached.set(crosswalkId, entry);
      return { crosswalk: entry.crosswalk, mappings: entry.mappings, position: check.position };
    },
  };
}

/** Resolves when the work ends, or after a timeout. */
async function settleWithin(work: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}

const mappingColumns: Sql = sql`m.id AS "mappingId", m.source_value AS "sourceValue",
  CASE WHEN NOT m.deleted THEN m.served_target END AS "targetValue", m.served_confidence AS confidence,
  m.approved_by AS "approvedBy", m.approved_at AS "approvedAt", m.served_event AS "approvedEventId", m.served_seq AS "approvedSeq"`;

const selectServed = (tables: Tables, crosswalkId: number): Sql =>
  sql`SELECT ${mappingColumns} FROM ${tables('crosswalk_mapping_values')} m
    WHERE m.crosswalk_id = ${crosswalkId}::bigint AND m.served_target IS NOT NULL AND NOT m.deleted`;

interface RefreshedCrosswalk {
  seq: number;
  crosswalk: TranslatedCrosswalk | null;
  mappings: MappingState[];
}

const selectChangesSince = (tables: Tables, crosswalkId: number, since: number): Sql =>
  sql`SELECT (SELECT min(b.seq) FROM platform.builds b WHERE b.serving AND b.name IN ('crosswalks', 'data_sets')) AS seq,
    (SELECT json_build_object('id', c.id, 'isServed', c.served IS NOT NULL, 'unmapped', c.served -> 'unmapped',
        'source', json_build_object('id', s.id, 'createdBy', s.created_by),
        'target', json_build_object('id', t.id, 'createdBy', t.created_by))
      FROM ${tables('crosswalk_mappings')} c
      JOIN ${tables('reference_data_sets')} s ON s.id = c.source_system_id
      JOIN ${tables('reference_data_sets')} t ON t.id = c.target_system_id
      WHERE c.id = ${crosswalkId}::bigint) AS crosswalk,
    (SELECT coalesce(json_agg(changed), '[]') FROM (SELECT ${mappingColumns}
      FROM ${tables('crosswalk_mapping_values')} m
      WHERE m.crosswalk_id = ${crosswalkId}::bigint AND m.valid_from > ${since}::bigint) changed) AS mappings`;
