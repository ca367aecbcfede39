/** Reads and writes the positions of the reader and of the builds in platform.reader and platform.builds. */
import type { LogPosition, PurgedEvents, Queryable } from '@rdm/platform';
import type { NumberedEvent } from './numbered-event.ts';
import { buildDdl, buildIndexDdl, buildSchema, type Projection } from './projection.ts';

/** A position in the log. */
export interface Checkpoint {
  seq: number;
  /** Position of the event with this seq, or of a later event of another program; null at the start of the log. */
  position: LogPosition | null;
}

/** Identifies the last projected event, to detect that the log was replaced by another copy. */
export interface LastEvent {
  id: string;
  stream: string;
  revision: number;
}

export const START_OF_LOG: Checkpoint = { seq: 0, position: null };

export const checkpointOf = (event: NumberedEvent): Checkpoint => ({
  seq: event.seq,
  position: { commit: event.position, prepare: event.prepare },
});

export interface Build extends Checkpoint {
  projection: Projection;
  build: number;
  schema: string;
  state: 'BUILDING' | 'SERVING' | 'DETACHED' | 'RETIRED';
  serving: boolean;
  /**
   * Position of the last purge that was registered when the build began. The build contains no event that was purged
   * up to this position.
   */
  purgedTo: bigint;
}

/** Thrown when this projector no longer leads or its term has ended: it must stop writing. */
export class LeadershipLost extends Error {
  constructor(detail: string) {
    super(`This projector no longer leads: ${detail}`);
    this.name = 'LeadershipLost';
  }
}

interface CheckpointRow {
  seq: number;
  commit_position: string;
  prepare_position: string;
}

const toCheckpoint = (row: CheckpointRow): Checkpoint => ({
  seq: row.seq,
  position:
    row.seq === 0 && row.commit_position === '0'
      ? null
      : { commit: BigInt(row.commit_position), prepare: BigInt(row.prepare_position) },
});

/** Returns the reader's checkpoint, its instant as ISO text ('' before the first event), and the last event. */
export async function readReaderState(
  db: Queryable,
): Promise<Checkpoint & { at: string; lastEvent: LastEvent | null }> {
  const { rows } = await db.query<CheckpointRow & { at: string; last_event: LastEvent | null }>(
    `SELECT seq, commit_position, prepare_position, last_event,
            CASE WHEN isfinite(at) THEN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') ELSE '' END AS at
       FROM platform.reader`,
  );
  const row = rows[0] as CheckpointRow & { at: string; last_event: LastEvent | null };
  return { ...toCheckpoint(row), at: row.at, lastEvent: row.last_event };
}

/** Locks the reader's row and returns the seq. Throws LeadershipLost if another leader changed the token. */
export async function lockReader(db: Queryable, token: number): Promise<number> {
  const { rows } = await db.query<{ token: number; seq: number }>({
    name: 'lock reader',
    text: 'SELECT token, seq FROM platform.reader FOR UPDATE',
  });
  const row = rows[0] as { token: number; seq: number };
  if (row.token !== token) throw new LeadershipLost(`its token is ${token}, the reader's ${row.token}`);
  return row.seq;
}

/** Records for all services why nothing is projected; null if there is no problem. */
export async function recordProblem(db: Queryable, problem: string | null): Promise<void> {
  await db.query('UPDATE platform.reader SET problem = $1 WHERE problem IS DISTINCT FROM $1', [problem]);
}

/** Records that the read models have reached the end of the log, so that they can serve. Throws LeadershipLost. */
export async function recordComplete(db: Queryable, token: number): Promise<void> {
  const { rowCount } = await db.query('UPDATE platform.reader SET complete = true WHERE token = $1', [token]);
  if (rowCount !== 1) throw new LeadershipLost(`its token is ${token}, and the reader has another`);
  await db.query('NOTIFY builds');
}

/** Moves the reader's position past events of other programs, so that a restart skips them. Throws LeadershipLost. */
export async function moveReaderPosition(
  db: Queryable,
  token: number,
  seq: number,
  { commit, prepare }: LogPosition,
): Promise<void> {
  const { rowCount } = await db.query(
    'UPDATE platform.reader SET commit_position = $3, prepare_position = $4 WHERE token = $1 AND seq = $2',
    [token, seq, String(commit), String(prepare)],
  );
  if (rowCount !== 1) throw new LeadershipLost(`the reader is not at ${seq} under token ${token} any more`);
}

/**
 * Locks the row of a build without blocking the reader. Reads the token after the lock, so that a former leader finds
 * the new token. Throws LeadershipLost.
 */
export async function lockBuild(db: Queryable, token: number, schema: string): Promise<Checkpoint> {
  const locked = await db.query<CheckpointRow>(
    'SELECT seq, commit_position, prepare_position FROM platform.builds WHERE schema_name = $1 FOR UPDATE',
    [schema],
  );
  const reader = await db.query<{ token: number }>('SELECT token FROM platform.reader');
  if (reader.rows[0]?.token !== token) throw new LeadershipLost(`its token is ${token}, and the reader has another`);
  const [row] = locked.rows;
  if (!row) throw new LeadershipLost(`${schema} is gone`);
  return toCheckpoint(row);
}

export async function advanceBuild(db: Queryable, schema: string, { seq, position }: Checkpoint): Promise<void> {
  await db.query(
    'UPDATE platform.builds SET seq = $2, commit_position = $3, prepare_position = $4 WHERE schema_name = $1',
    [schema, seq, String(position?.commit ?? 0), String(position?.prepare ?? 0)],
  );
}

/** Stops a build before an event that it cannot apply, and records the event and the reason. */
export async function detachBuild(
  db: Queryable,
  schema: string,
  upTo: Checkpoint,
  event: NumberedEvent,
  reason: unknown,
): Promise<void> {
  await advanceBuild(db, schema, upTo);
  const { seq, stream, revision, id, type } = event;
  await db.query(
    `UPDATE platform.builds SET state = 'DETACHED', failed_event = $2, failure = $3 WHERE schema_name = $1`,
    [
      schema,
      JSON.stringify({ seq, stream, revision, id, type }),
      reason instanceof Error ? reason.message : String(reason),
    ],
  );
  await db.query('NOTIFY builds');
}

/** Creates a build with its schema and tables. A build that serves from the start also gets its secondary indexes. */
export async function createBuild(
  db: Queryable,
  projection: Projection,
  { lastRegisteredAt }: Pick<PurgedEvents, 'lastRegisteredAt'>,
  serves = false,
): Promise<Build> {
  const { name, version } = projection;
  const { rows } = await db.query<{ build: number }>(
    'SELECT coalesce(max(build), 0)::int + 1 AS build FROM platform.builds WHERE name = $1 AND version = $2',
    [name, version],
  );
  const build = rows[0]?.build ?? 1;
  const schema = buildSchema(projection, build);
  const state = serves ? 'SERVING' : 'BUILDING';
  const purgedTo = lastRegisteredAt ?? 0n;
  await db.query(buildDdl(schema, projection));
  if (serves) await db.query(buildIndexDdl(schema, projection));
  await db.query(
    `INSERT INTO platform.builds (name, version, build, schema_name, state, serving, purged_to)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [name, version, build, schema, state, serves, String(purgedTo)],
  );
  return { ...START_OF_LOG, projection, build, schema, state, serving: serves, purgedTo };
}

/** Reads the builds whose projection and version exist in this code. */
export async function readBuilds(db: Queryable, projections: readonly Projection[]): Promise<Build[]> {
  const { rows } = await db.query<
    CheckpointRow & {
      name: string;
      version: number;
      build: number;
      schema_name: string;
      state: Build['state'];
      serving: boolean;
      purged_to: string;
    }
  >('SELECT * FROM platform.builds ORDER BY name, build');
  return rows.flatMap((row) => {
    const projection = projections.find(({ name, version }) => name === row.name && version === row.version);
    if (!projection) return [];
    const { build, schema_name: schema, state, serving } = row;
    return [{ ...toCheckpoint(row), projection, build, schema, state, serving, purgedTo: BigInt(row.purged_to) }];
  });
}

/** Makes a build serve in place of the current build. Retires all other builds of its projection. */
export async function swapBuild(db: Queryable, { projection, schema }: Build): Promise<void> {
  await db.query(
    `UPDATE platform.builds SET serving = false, state = 'RETIRED', retired_at = now()
      WHERE name = $1 AND schema_name <> $2 AND state <> 'RETIRED'`,
    [projection.name, schema],
  );
  await db.query(`UPDATE platform.builds SET serving = true, state = 'SERVING' WHERE schema_name = $1`, [schema]);
  await db.query('NOTIFY builds');
}
