/** Builds beside the serving ones: made, grown from the log, let in at the reader's pace, swapped; the old ones dropped. */
import { setTimeout as sleep } from 'node:timers/promises';
import { keepSubscribed, type Queryable, transaction } from '@rdm/platform';
import { cancellable, indexFields } from '../tables/field-indexes.ts';
import { Batch } from './batch.ts';
import { inBatches } from './batches.ts';
import {
  advanceBuild,
  type Build,
  type Checkpoint,
  checkpointOf,
  createBuild,
  Deposed,
  detachBuild,
  holdBuild,
  holdReader,
  readBuilds,
  readReader,
  swapBuild,
} from './checkpoint.ts';
import { type Numbered, numbered } from './numbered-event.ts';
import { offer } from './apply-batch.ts';
import { buildIndexDdl, type Projection } from './projection.ts';
import { markDetached, type Reader } from './reader.ts';
import { BEGIN, type Term, untilItWorks } from './term.ts';

/** So close to the reader a build is let in: what is missing then is made up for while the reader waits. */
const JOIN_WITHIN = 100;

/** Sees to it that every projection has a build of its version; answers where the reader stands and who serves. */
export async function prepareBuilds(
  term: Term,
  projections: readonly Projection[],
): Promise<{ start: Checkpoint & { at: string }; serving: Build[] }> {
  return transaction(
    term.writer,
    async (db) => {
      await holdReader(db, term.token);
      const start = await readReader(db);
      await forgetUnusable(db, projections, start);
      const builds = await readBuilds(db, projections);
      for (const projection of projections) {
        if (builds.some((build) => build.projection === projection && build.state !== 'RETIRED')) continue;
        const other = await db.query('SELECT 1 FROM platform.builds WHERE name = $1 AND serving', [projection.name]);
        builds.push(await createBuild(db, projection, start.seq === 0 && other.rowCount === 0));
      }
      await db.query('NOTIFY builds');
      return { start, serving: builds.filter(({ state }) => state === 'SERVING') };
    },
    BEGIN,
  );
}

/**
 * Rows of builds whose schema is not there (a restored backup has none) go; half-grown builds of another version of
 * the code are dropped; one that serves and lags behind the reader grows until it has caught up.
 */
async function forgetUnusable(db: Queryable, projections: readonly Projection[], { seq }: Checkpoint): Promise<void> {
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

export interface Rebuilding {
  /** Grows what is to be grown, until the term ends; throws Deposed. */
  run(): Promise<void>;
  /** Asks for new builds, which grow together, and answers them; the one under way where there is one. */
  rebuild(...wanted: readonly Projection[]): Promise<Build[]>;
  /** Lets detached builds of a projection go on from the event they stopped at. */
  resume(projection: Projection): Promise<number>;
}

export function openRebuilding(term: Term, reader: Reader, projections: readonly Projection[]): Rebuilding {
  let wake: () => void = () => undefined;
  term.signal.addEventListener('abort', () => wake(), { once: true });

  const isGrowing = (build: Build) => build.state === 'BUILDING';

  return {
    async run() {
      while (!term.signal.aborted) {
        const asked = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const builds = (await untilItWorks(term, () => readBuilds(term.writer, projections))).filter(isGrowing);
        if (builds.length > 0) await grow(term, reader, builds);
        else if (!term.signal.aborted) await asked;
      }
    },
    async rebuild(...wanted) {
      const builds = await transaction(
        term.writer,
        async (db) => {
          await holdReader(db, term.token);
          const growing = (await readBuilds(db, wanted)).filter(isGrowing);
          for (const projection of wanted) {
            if (growing.some((build) => build.projection === projection)) continue;
            growing.push(await createBuild(db, projection, false));
          }
          return growing;
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
          await holdReader(db, term.token);
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

/** Grows builds from where the hindmost stands until the reader lets them in. */
async function grow(term: Term, reader: Reader, builds: Build[]): Promise<void> {
  let growing = builds;
  const named = () => growing.map(({ schema }) => schema);
  term.log.info({ builds: named() }, 'Building beside the serving read models');
  // Indexes are made of rows that are there: first comes what the reader has read by now.
  const first = reader.checkpoint.seq;
  let indexed = false;

  const subscribe = async (progressed: () => void): Promise<'done'> => {
    let at: Checkpoint = growing.reduce((last, build) => (build.seq < last.seq ? build : last));
    const own = new AbortController();
    const signal = AbortSignal.any([term.signal, own.signal]);
    const source = inBatches((until) => term.store.subscribeToAll(at.position, until), signal, { limits: term.limits });

    /** What was read of the log and lies beyond what was to be folded. */
    let ahead: Numbered[] = [];
    /**
     * Folds the next batch of the log, as far as `until`, which is where the reader stands: what a build took ahead of
     * the reader would be offered to it again. Throws when the store went away.
     */
    const next = async (until: number): Promise<void> => {
      if (ahead.length === 0) {
        const { value, done } = await source.next();
        if (done || !value) throw new Error('The store ended the subscription');
        ahead = value.events.map((event, index) => numbered(event, at.seq + index + 1));
      }
      const batch = new Batch(ahead.filter(({ seq }) => seq <= until));
      ahead = ahead.slice(batch.events.length);
      if (!batch.last) return;
      await Promise.all(growing.map((build) => untilItWorks(term, () => growBy(term, build, batch))));
      growing = growing.filter(({ state }) => state !== 'DETACHED');
      at = checkpointOf(batch.last);
      progressed();
    };

    try {
      while (growing.length > 0) {
        if (at.seq < first || reader.checkpoint.seq - at.seq > JOIN_WITHIN) {
          await next(reader.checkpoint.seq);
        } else if (!indexed) {
          await Promise.all(growing.map((build) => untilItWorks(term, () => index(term, build))));
          indexed = true;
        } else {
          await reader.admit(async (end) => {
            while (at.seq < end.seq && growing.length > 0) await next(end.seq);
            await untilItWorks(term, () => swap(term, growing));
            term.log.info({ builds: named() }, 'New builds serve');
            const arrived = growing;
            growing = [];
            return arrived;
          });
        }
      }
      return 'done';
    } finally {
      own.abort();
    }
  };
  const isFinal = (error: unknown) => error instanceof Deposed;
  if (growing.length > 0)
    await keepSubscribed(subscribe, {
      signal: term.signal,
      log: term.log,
      to: `the log for ${named().join(', ')}`,
      isFinal,
    });
}

/**
 * Folds those of the events that a build has not seen, in a transaction of its own. Where none concerns it nothing is
 * written: its checkpoint is read again from further back, no row is.
 */
async function growBy(term: Term, build: Build, batch: Batch): Promise<void> {
  const last = checkpointOf(batch.last as Numbered);
  if (build.seq >= last.seq) return;
  if (batch.of(build.projection).length === 0) {
    Object.assign(build, last);
    return;
  }
  await transaction(
    term.writer,
    async (client) => {
      const held = await holdBuild(client, term.token, build.schema);
      if (held.seq >= last.seq) return;
      const { poison } = await offer(client, { ...build, ...held }, batch.after(held.seq));
      if (poison) {
        await detachBuild(client, build.schema, poison.upTo, poison.event, poison.reason);
        markDetached(term, build, poison);
      } else {
        await advanceBuild(client, build.schema, last);
      }
    },
    BEGIN,
  );
  Object.assign(build, last);
}

/** Indexes and statistics, once the rows are there. */
async function index(term: Term, { schema, projection }: Build): Promise<void> {
  const analyze = projection.tables.map(({ name }) => `ANALYZE ${schema}.${name};`).join('\n');
  await cancellable(term, async (db) => {
    await db.query(`${buildIndexDdl(schema, projection)}${analyze}`);
    if (projection.name === 'instances') await indexFields(db, schema);
  });
}

async function swap(term: Term, builds: readonly Build[]): Promise<void> {
  await transaction(
    term.writer,
    async (db) => {
      await holdReader(db, term.token);
      for (const build of builds) {
        await advanceBuild(db, build.schema, build);
        await swapBuild(db, build);
        Object.assign(build, { state: 'SERVING', serving: true });
      }
    },
    BEGIN,
  );
}

/** Drops builds whose grace period is over, now and then, until the term ends. */
export async function dropRetired(term: Term, graceMs: number): Promise<void> {
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
            await holdBuild(db, term.token, schema);
            // A query that still reads the old schema is waited for, but not for long: the next round tries again.
            await db.query(`SET LOCAL lock_timeout = '5s'; DROP SCHEMA IF EXISTS ${schema} CASCADE`);
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

/** One number per table of a build: two builds with the same rows have the same. */
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
