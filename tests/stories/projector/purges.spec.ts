/**
 * The projector with a purged log: event numbers and the hash chain do not change, and rebuilt read models contain no
 * purged data.
 */
import type { LoggedEvent, Pool } from '@rdm/platform';
import { digestOf } from '@rdm/platform/event-store/audit-chain';
import { projections } from '@rdm/projector';
import { describe, expect, it } from 'vitest';
import { checksumsOf, eventually, MemoryLog, schemaOf, schemaOfBuild, waitUntilProjected } from './environment.ts';
import { environment, history, projectAlone, SMALL, usePurgedLog } from './purged-log.ts';

usePurgedLog();

const chainOf = async (pool: Pool) =>
  (await pool.query(`SELECT seq, digest, chain_hash FROM ${await schemaOf(pool, 'audit_log')}.audit_logs ORDER BY seq`))
    .rows;

async function rebuildAll(pool: Pool, run: ReturnType<typeof environment.project>): Promise<void> {
  const before = await schemaOf(pool, 'audit_log');
  await run.projector.rebuilder?.rebuild(...projections);
  await eventually(async () => expect(await schemaOf(pool, 'audit_log')).not.toBe(before));
}

describe('a purge', () => {
  it('changes no event number and no hash, neither live nor in rebuilds before and after the removal of the events', async () => {
    const { events, streams, purge, later } = history(11);
    const last = events.length + purge.length + later.length;
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events);
    const run = environment.project(url, log, { limits: SMALL });
    await waitUntilProjected(pool, events.length);
    log.append(...purge);
    await waitUntilProjected(pool, events.length + purge.length);
    await rebuildAll(pool, run);
    const rebuiltBefore = await chainOf(pool);
    log.scavenge(streams);
    log.append(...later);
    await waitUntilProjected(pool, last);
    const live = await chainOf(pool);
    expect(live.map(({ seq, digest }) => ({ seq, digest }))).toEqual(
      [...events, ...purge, ...later].map((event, index) => ({
        seq: index + 1,
        digest: digestOf({ ...event, seq: index + 1 }),
      })),
    );
    expect(live.slice(0, rebuiltBefore.length)).toEqual(rebuiltBefore);
    await rebuildAll(pool, run);
    expect(await chainOf(pool)).toEqual(live);
    const fresh = await projectAlone(log, last);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(fresh));
  });

  it('keeps only the type, actor, time, hashes and purge of each purged event, and only in the audit log', async () => {
    const { events, streams, purge } = history(12);
    const log = new MemoryLog();
    log.append(...events, ...purge);
    const pool = await projectAlone(log, events.length + purge.length);
    const audit = `${await schemaOf(pool, 'audit_log')}.audit_logs`;
    const { rows } = await pool.query(`SELECT * FROM ${audit} WHERE purge_id IS NOT NULL ORDER BY seq`);
    const purged = events.filter(({ stream }) => streams.includes(stream));
    expect(rows).toHaveLength(purged.length);
    for (const [index, row] of rows.entries()) {
      const { type, metadata } = purged[index] as LoggedEvent;
      const { seq: _, digest: __, chain_hash: ___, at, ...rest } = row;
      expect(new Date(at).toISOString()).toBe(metadata.occurredAt);
      const filled = Object.entries(rest).filter(([, value]) => value !== null);
      expect(Object.fromEntries(filled)).toEqual({
        ...{ type, action: type, actor_id: metadata.actorId, purge_id: 4 },
        ...{ kind: 'system', entity_type: 'purged', severity: 'INFO', change_summary: 'Purged' },
        ...{ affected_record_count: 0, data_set_ids: [] },
      });
    }
    const count = async (name: string, table: string, where = 'true') =>
      (await pool.query(`SELECT count(*)::int AS n FROM ${await schemaOf(pool, name)}.${table} WHERE ${where}`)).rows[0]
        .n;
    expect(await count('crosswalks', 'crosswalk_mappings')).toBe(0);
    expect(await count('crosswalks', 'crosswalk_mapping_values')).toBe(0);
    expect(await count('jobs', 'import_jobs', `job_type !~ 'BACKUP|PURGE'`)).toBe(0);
    expect(await count('audit_activities', 'audit_activities', `subject_type IN ('crosswalk', 'mappings')`)).toBe(0);
    expect(await count('changes', 'changes', `seq IN (${rows.map(({ seq }) => seq).join()})`)).toBe(0);
  });
});

describe('a projector that starts after a purge', () => {
  it('discards builds that began before the purge, even if they have applied its registration', async () => {
    const { events, streams, purge } = history(18);
    const last = events.length + purge.length;
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events);
    const first = environment.project(url, log, { limits: SMALL });
    await waitUntilProjected(pool, events.length);
    const release = log.holdNextSubscriberAfter(events.length - 20);
    await first.projector.rebuilder?.rebuild(...projections);
    await eventually(async () => {
      const { rows } = await pool.query(`SELECT seq FROM platform.builds WHERE name = 'crosswalks' AND build = 2`);
      expect(rows[0].seq).toBeGreaterThan(0);
    });
    const stopped = first.stop();
    release();
    await stopped;
    log.append(...purge);
    // Simulate a crash between the batch with the registration of the purge and the restart of the build.
    await pool.query(
      `UPDATE platform.builds SET seq = $1, commit_position = $2, prepare_position = $2
        WHERE name = 'crosswalks' AND build = 2`,
      [last, String(purge.at(-1)?.position)],
    );
    log.scavenge(streams);
    const run = environment.project(url, log, { limits: SMALL });
    await waitUntilProjected(pool, last);
    await rebuildAll(pool, run);
    await eventually(async () => expect(await schemaOf(pool, 'crosswalks')).not.toBe(schemaOfBuild('crosswalks')));
    expect(await schemaOf(pool, 'crosswalks')).toBe(schemaOfBuild('crosswalks', 3));
    const { rows } = await pool.query(
      `SELECT count(*)::int AS n FROM ${await schemaOf(pool, 'crosswalks')}.crosswalk_mappings`,
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  it('accepts, before it has read the log, a request to rebuild a read model that has applied a purge', async () => {
    const { events, purge, later } = history(19);
    const last = events.length + purge.length + later.length;
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events);
    const first = environment.project(url, log, { limits: SMALL });
    await waitUntilProjected(pool, events.length);
    log.append(...purge, ...later);
    await waitUntilProjected(pool, last);
    await first.stop();
    // Simulate a crash after which the serving build is one event behind the reader, but has applied the registration
    // of the purge.
    await pool.query(
      `UPDATE platform.builds SET seq = seq - 1, commit_position = (commit_position::bigint - 100)::text, prepare_position = commit_position
        WHERE name = 'crosswalks'`,
    );
    const release = log.holdNextSubscriberAfter(0);
    const { projector } = environment.project(url, log, { limits: SMALL });
    const builds = await eventually(() => {
      if (!projector.rebuilder) throw new Error('The projector does not lead yet');
      return projector.rebuilder.rebuild(...projections);
    });
    expect(builds.map(({ schema }) => schema)).toContain(schemaOfBuild('crosswalks', 2));
    release();
  });

  it('continues if its last projected event was purged', async () => {
    const { events, streams, purge } = history(15);
    const purgedSeq = events.findLastIndex(({ stream }) => streams.includes(stream)) + 1;
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events.slice(0, purgedSeq));
    const first = environment.project(url, log);
    await waitUntilProjected(pool, purgedSeq);
    await first.stop();
    log.append(...events.slice(purgedSeq), ...purge);
    log.scavenge(streams);
    // Only the manifest of the purge explains the missing event now, because the store has no mark of a deleted stream.
    log.deleted.clear();
    const { projector } = environment.project(url, log);
    await waitUntilProjected(pool, events.length + purge.length);
    expect(projector.problem).toBeUndefined();
  });
});

describe('a purge with a manifest that no registered key has signed', () => {
  it('stops the projector, and the problem names the purge', async () => {
    const { events, purge } = history(16, (event) =>
      event.type === 'PurgeManifestSealed' ? { ...event, data: { ...event.data, keyId: '0'.repeat(16) } } : event,
    );
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events);
    const { projector } = environment.project(url, log);
    await waitUntilProjected(pool, events.length);
    log.append(...purge);
    await eventually(() => expect(projector.problem).toContain('Purge 4: unknown signature'));
    const { rows } = await pool.query('SELECT problem FROM platform.reader');
    expect(rows[0].problem).toBe(projector.problem);
  });
});
