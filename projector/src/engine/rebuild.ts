/** Rebuilds read models: creates builds, fills them from the log, lets them serve, and drops the replaced builds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidManifest, keepSubscribed, type Queryable, transaction } from '@rdm/platform';
import { indexFields, runCancellable } from '../tables/field-indexes.ts';
import { applyBatch } from './apply-batch.ts';
import { Batch } from './batch.ts';
import { inBatches } from './batches.ts';
import {
  advanceBuild,
  type Build,
  type Checkpoint,
  checkpointOf,
  createBuild,
  detachBuild,
  LeadershipLost,
  lockBuild,
  lockReader,
  readBuilds,
  readReaderState,
  swapBuild,
} from './checkpoint.ts';
import type { NumberedEvent } from './numbered-event.ts';
import { subscribeNumbered } from './numbered-log.ts';
import { buildIndexDdl, type Projection } from './projection.ts';
import { type Reader, reportDetached } from './reader.ts';
import { BEGIN, retryUntilSuccess, runLocking, type Term } from './term.ts';

/** A build attaches when it is at most this many events behind. The reader waits for these events. */
const ATTACH_LAG_MAX = 100;

/**
 * Retires unusable builds and creates missing builds. Returns the reader's checkpoint, and the builds in the state
 * SERVING, which are at this checkpoint.
 */
export async function prepareBuilds(
  term: Term,
  projections: readonly Projection[],
): Promise<{ start: Checkpoint & { at: string }; serving: Build[] }> {
  return transaction(
    term.writer,
    async (db) => {
      await lockReader(db, term.token);
      const start = await readReaderState(db);
      await retireUnusableBuilds(db, projections, start);
      const replaced = await endBuildsBeforePurge(db, term);
      const builds = await readBuilds(db, projections);
      for (const projection of projections) {
        const isKept = ({ state }: Build) =>
          state === 'DETACHED' ? !replaced.has(projection.name) : state !== 'RETIRED';
        if (builds.some((build) => build.projection === projection && isKept(build))) continue;
        const serving = await db.query('SELECT 1 FROM platform.builds WHERE name = $1 AND serving', [projection.name]);
        builds.push(await createBuild(db, projection, term.purged, start.seq === 0 && serving.rowCount === 0));
      }
      await db.query('NOTIFY builds');
      return { start, serving: builds.filter(({ state }) => state === 'SERVING') };
    },
    BEGIN,
  );
}

/**
 * Deletes the rows of builds whose schema does not exist, such as after a restore without read models. Retires builds
 * of other versions or projections unless they serve. Lets the rebuilder fill builds in the state SERVING that are not
 * at the reader's checkpoint.
 */
async function retireUnusableBuilds(
  db: Queryable,
  projections: readonly Projection[],
  { seq }: Checkpoint,
): Promise<void> {
  await db.query('DELETE FROM platform.builds WHERE to_regnamespace(schema_name) IS NULL');
  await db.query(
    `UPDATE platform.builds b SET state = 'RETIRED', retired_at = now()
      WHERE NOT serving AND state <> 'RETIRED'
        AND NOT EXISTS (SELECT FROM jsonb_to_recordset($1::jsonb) p(name text, version integer)
                         WHERE p.name = b.name AND p.version = b.version)`,
    [JSON.stringify(projections.map(({ name, version }) => ({ name, version })))],
  );
  await db.query(`UPDATE platform.builds SET state = 'BUILDING' WHERE state = 'SERVING' AND seq <> $1`, [seq]);
}

const PURGED_SINCE = 'This build may contain purged events: a new build replaces it';

/**
 * Ends builds in `state` that may contain purged events: builds that began before the last purge, except serving builds
 * that have applied its registration, because the purge itself rebuilds these. Detaches serving builds, which serve
 * until a new build does, and retires other builds. Returns the names of the projections of the ended builds.
 */
async function endBuildsBeforePurge(
  db: Queryable,
  { purged }: Term,
  state: 'BUILDING' | 'DETACHED' = 'BUILDING',
  name?: string,
): Promise<Set<string>> {
  const { lastRegisteredAt } = purged;
  if (lastRegisteredAt === null) return new Set();
  const { rows } = await db.query<{ name: string }>(
    `UPDATE platform.builds
        SET state = CASE WHEN serving THEN 'DETACHED' ELSE 'RETIRED' END,
            retired_at = CASE WHEN serving THEN NULL ELSE now() END,
            failure = $3
      WHERE state = $1 AND seq > 0 AND purged_to::numeric < $2 AND (NOT serving OR commit_position::numeric < $2)
        AND name = coalesce($4, name)
      RETURNING name`,
    [state, String(lastRegisteredAt), PURGED_SINCE, name ?? null],
  );
  return new Set(rows.map(({ name }) => name));
}

export interface Rebuilder {
  /** Fills unfinished builds until the term ends; throws LeadershipLost. */
  run(): Promise<void>;
  /**
   * Returns an unfinished build for each projection, and creates missing builds. Ignores unfinished builds that may
   * contain purged events.
   */
  rebuild(...wanted: readonly Projection[]): Promise<Build[]>;
  /**
   * Resumes the detached builds of a projection, and returns their number. Creates one new build instead, and returns
   * 1, if a detached build may contain purged events.
   */
  resume(projection: Projection): Promise<number>;
}

export function createRebuilder(term: Term, reader: Reader, projections: readonly Projection[]): Rebuilder {
  let wake: () => void = () => undefined;
  term.signal.addEventListener('abort', () => wake(), { once: true });

  const isBuilding = (build: Build) => build.state === 'BUILDING';
  const mayHoldPurged = ({ seq, purgedTo }: Build) => seq > 0 && purgedTo < (term.purged.lastRegisteredAt ?? 0n);

  return {
    async run() {
      while (!term.signal.aborted) {
        const requested = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const builds = (await retryUntilSuccess(term, () => readBuilds(term.writer, projections))).filter(isBuilding);
        if (builds.length > 0) await fillBuilds(term, reader, builds);
        else if (!term.signal.aborted) await requested;
      }
    },
    async rebuild(...wanted) {
      const builds = await transaction(
        term.writer,
        async (db) => {
          await lockReader(db, term.token);
          const filling = (await readBuilds(db, wanted)).filter((build) => isBuilding(build) && !mayHoldPurged(build));
          for (const projection of wanted) {
            if (filling.some((build) => build.projection === projection)) continue;
            filling.push(await createBuild(db, projection, term.purged));
          }
          return filling;
        },
        BEGIN,
      );
      wake();
      return builds;
    },
    async resume(projection) {
      const resumed = await transaction(
        term.writer,
        async (db) => {
          await lockReader(db, term.token);
          const ended = await endBuildsBeforePurge(db, term, 'DETACHED', projection.name);
          if (ended.has(projection.name)) {
            await createBuild(db, projection, term.purged);
            return { rowCount: 1 };
          }
          return db.query(
            `UPDATE platform.builds SET state = 'BUILDING', failed_event = NULL, failure = NULL
              WHERE name = $1 AND version = $2 AND state = 'DETACHED'`,
            [projection.name, projection.version],
          );
        },
        BEGIN,
      );
      wake();
      return resumed.rowCount ?? 0;
    },
  };
}

/** Fills builds until the reader attaches them. Begins at the position of the build that is furthest behind. */
async function fillBuilds(term: Term, reader: Reader, builds: Build[]): Promise<void> {
  let filling = builds;
  const schemas = () => filling.map(({ schema }) => schema);
  term.log.info({ builds: schemas() }, 'Building beside the serving read models');
  // Create the indexes once most rows exist: after the events that the reader has read by now.
  const indexAfterSeq = reader.checkpoint.seq;
  let isIndexed = false;

  await retryUntilSuccess(term, () => term.purged.load());
  const { version } = term.purged;
  const isPurgedSince = () => term.purged.version !== version;

  const subscribe = async (progressed: () => void): Promise<'done'> => {
    let filledTo: Checkpoint = filling.reduce((last, build) => (build.seq < last.seq ? build : last));
    const ended = new AbortController();
    const signal = AbortSignal.any([term.signal, ended.signal]);
    const source = inBatches((until) => subscribeNumbered(term, filledTo, until), signal, { limits: term.limits });

    /** Events that were read from the log but not applied, because their seq is greater than `untilSeq`. */
    let unapplied: NumberedEvent[] = [];
    /**
     * Applies the next batch up to `untilSeq`, the reader's seq: the reader applies later events to attached builds.
     * Throws when the subscription ends.
     */
    const fillNextBatch = async (untilSeq: number): Promise<void> => {
      if (unapplied.length === 0) {
        const { value, done } = await source.next();
        if (done || !value) throw new Error('The store ended the subscription');
        unapplied = value.events;
      }
      const batch = new Batch(unapplied.filter(({ seq }) => seq <= untilSeq));
      unapplied = unapplied.slice(batch.events.length);
      if (!batch.last) return;
      await Promise.all(filling.map((build) => retryUntilSuccess(term, () => fillBuild(term, build, batch))));
      filling = filling.filter(({ state }) => state !== 'DETACHED');
      filledTo = checkpointOf(batch.last);
      progressed();
    };

    try {
      while (filling.length > 0) {
        if (isPurgedSince()) {
          await retryUntilSuccess(term, () => restartBuilds(term, filling));
          filling = [];
        } else if (filledTo.seq < indexAfterSeq || reader.checkpoint.seq - filledTo.seq > ATTACH_LAG_MAX) {
          await fillNextBatch(reader.checkpoint.seq);
        } else if (!isIndexed) {
          await Promise.all(filling.map((build) => retryUntilSuccess(term, () => createIndexes(term, build))));
          isIndexed = true;
        } else {
          await reader.attachBuilds(async (end) => {
            while (filledTo.seq < end.seq && filling.length > 0) await fillNextBatch(end.seq);
            if (isPurgedSince()) return [];
            await retryUntilSuccess(term, () => swapBuilds(term, filling));
            term.log.info({ builds: schemas() }, 'New builds serve');
            const attached = filling;
            filling = [];
            return attached;
          });
        }
      }
      return 'done';
    } finally {
      ended.abort();
    }
  };
  const isFinal = (error: unknown) => error instanceof LeadershipLost || error instanceof InvalidManifest;
  if (filling.length > 0)
    await keepSubscribed(subscribe, {
      signal: term.signal,
      log: term.log,
      to: `the log for ${schemas().join(', ')}`,
      isFinal,
    });
}

/** Replaces unfinished builds after a purge, because these builds may contain purged events. */
async function restartBuilds(term: Term, builds: readonly Build[]): Promise<void> {
  await transaction(
    term.writer,
    async (db) => {
      await lockReader(db, term.token);
      for (const { schema, projection } of builds) {
        const { rowCount } = await db.query(
          `UPDATE platform.builds SET state = CASE WHEN serving THEN 'DETACHED' ELSE 'RETIRED' END,
                  retired_at = CASE WHEN serving THEN NULL ELSE now() END, failure = $2
            WHERE schema_name = $1 AND state = 'BUILDING'`,
          [schema, PURGED_SINCE],
        );
        if (rowCount === 1) await createBuild(db, projection, term.purged);
      }
    },
    BEGIN,
  );
  term.log.info({ builds: builds.map(({ schema }) => schema) }, 'Builds start again because of a purge');
}

/**
 * Applies the new events of a batch to a build, in a transaction. Writes no checkpoint for a batch without events of
 * the projection: after a restart, reading the batch again changes nothing.
 */
async function fillBuild(term: Term, build: Build, batch: Batch): Promise<void> {
  const last = checkpointOf(batch.last as NumberedEvent);
  if (build.seq >= last.seq) return;
  if (batch.eventsFor(build.projection).length === 0) {
    Object.assign(build, last);
    return;
  }
  await transaction(
    term.writer,
    async (client) => {
      const locked = await lockBuild(client, term.token, build.schema);
      if (locked.seq >= last.seq) return;
      const { failure } = await applyBatch(client, { ...build, ...locked }, batch.after(locked.seq));
      if (failure) {
        await detachBuild(client, build.schema, failure.upTo, failure.event, failure.reason);
        reportDetached(term, build, failure);
      } else {
        await advanceBuild(client, build.schema, last);
      }
    },
    BEGIN,
  );
  Object.assign(build, last);
}

/** Creates the secondary indexes and the statistics of a build that has most of its rows. */
async function createIndexes(term: Term, { schema, projection }: Build): Promise<void> {
  const analyze = projection.tables.map(({ name }) => `ANALYZE ${schema}.${name};`).join('\n');
  await runCancellable(term, term.writer, async (db) => {
    await db.query(`${buildIndexDdl(schema, projection)}${analyze}`);
    if (projection.name === 'instances') await indexFields(db, schema);
  });
}

async function swapBuilds(term: Term, builds: readonly Build[]): Promise<void> {
  await transaction(
    term.writer,
    async (db) => {
      await lockReader(db, term.token);
      for (const build of builds) {
        await advanceBuild(db, build.schema, build);
        await swapBuild(db, build);
        Object.assign(build, { state: 'SERVING', serving: true });
      }
    },
    BEGIN,
  );
}

/** Drops builds whose grace period is over, periodically, until the term ends. */
export async function dropRetiredBuilds(term: Term, graceMs: number): Promise<void> {
  while (!term.signal.aborted) {
    try {
      const { rows } = await term.writer.query<{ schema_name: string }>(
        `SELECT schema_name FROM platform.builds
          WHERE state = 'RETIRED' AND retired_at <= now() - $1 * interval '1 millisecond'`,
        [graceMs],
      );
      for (const { schema_name: schema } of rows) {
        await transaction(
          term.writer,
          async (db) => {
            await lockBuild(db, term.token, schema);
            // Queries that still read the old schema can make this fail: the next run tries again.
            await runLocking(db, schema, `DROP SCHEMA IF EXISTS ${schema} CASCADE`);
            await db.query('DELETE FROM platform.builds WHERE schema_name = $1', [schema]);
          },
          BEGIN,
        );
        term.log.info({ schema }, 'Dropped an old build');
      }
    } catch (error) {
      if (!term.signal.aborted) term.log.warn({ err: error }, 'Could not drop old builds: trying again');
    }
    await sleep(Math.min(Math.max(graceMs / 4, 100), 15_000), undefined, { signal: term.signal }).catch(
      () => undefined,
    );
  }
}

/**
 * Returns a checksum per table of a build, without derived tables: builds with the same rows have the same checksums.
 */
export async function checksums(
  db: Queryable,
  schema: string,
  projection: Projection,
): Promise<Record<string, string>> {
  const tables = projection.tables.flatMap(({ name, ...table }) =>
    'versioned' in table && table.versioned ? [name, `${name}_history`] : [name],
  );
  const sums: Record<string, string> = {};
  for (const table of tables) {
    const { rows } = await db.query<{ sum: string }>(
      `SELECT count(*) || ':' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) AS sum FROM ${schema}.${table} t`,
    );
    sums[table] = rows[0]?.sum ?? '';
  }
  return sums;
}
