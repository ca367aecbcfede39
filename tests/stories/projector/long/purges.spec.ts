/** Purges during rebuilds of read models, and the builds of a projector that starts after a purge. */
import { projections } from '@rdm/projector';
import { describe, expect, it } from 'vitest';
import { checksumsOf, eventually, MemoryLog, schemaOf, schemaOfBuild, waitUntilProjected } from '../environment.ts';
import { environment, history, projectAlone, SMALL, usePurgedLog } from '../purged-log.ts';

usePurgedLog();

describe('a purge of a log that is projected live', () => {
  it('restarts rebuilds that run during the purge', async () => {
    const { events, streams, purge } = history(13);
    const last = events.length + purge.length;
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events);
    const { projector } = environment.project(url, log, { limits: SMALL });
    await waitUntilProjected(pool, events.length);
    const release = log.holdNextSubscriberAfter(events.length - 20);
    await projector.rebuilder?.rebuild(...projections);
    await eventually(async () => {
      const { rows } = await pool.query(
        `SELECT 1 FROM platform.builds WHERE name = 'crosswalks' AND build = 2 AND seq > 0`,
      );
      expect(rows).toHaveLength(1);
    });
    log.append(...purge);
    await waitUntilProjected(pool, last);
    release();
    await eventually(async () => expect(await schemaOf(pool, 'crosswalks')).toBe(schemaOfBuild('crosswalks', 3)));
    await eventually(async () => expect(await schemaOf(pool, 'audit_log')).toBe(schemaOfBuild('audit_log', 3)));
    log.scavenge(streams);
    const fresh = await projectAlone(log, last);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(fresh));
  });
});

describe('a projector that starts after a purge', () => {
  it('restarts builds with a checkpoint before the purge', async () => {
    const { events, streams, purge } = history(14);
    const last = events.length + purge.length;
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events);
    const first = environment.project(url, log, { limits: SMALL });
    await waitUntilProjected(pool, events.length);
    await first.stop();
    // Simulate a crash: the serving build is behind the reader, and contains data that the purge deletes.
    await pool.query(
      `UPDATE platform.builds SET seq = seq - 5, commit_position = (commit_position::bigint - 500)::text, prepare_position = commit_position
        WHERE name = 'crosswalks'`,
    );
    log.append(...purge);
    log.scavenge(streams);
    environment.project(url, log, { limits: SMALL });
    await waitUntilProjected(pool, last);
    await eventually(async () => expect(await schemaOf(pool, 'crosswalks')).toBe(schemaOfBuild('crosswalks', 2)));
    const { rows } = await pool.query(
      `SELECT count(*)::int AS n FROM ${await schemaOf(pool, 'crosswalks')}.crosswalk_mappings`,
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  it('resumes builds that began after the purge', async () => {
    const { events, streams, purge } = history(17);
    const last = events.length + purge.length;
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events, ...purge);
    const first = environment.project(url, log, { limits: SMALL });
    await waitUntilProjected(pool, last);
    const release = log.holdNextSubscriberAfter(events.length - 20);
    await first.projector.rebuilder?.rebuild(...projections);
    const readStartedBuilds = () =>
      pool.query(`SELECT schema_name FROM platform.builds WHERE build = 2 AND state = 'BUILDING' AND seq > 0`);
    await eventually(async () => expect((await readStartedBuilds()).rowCount).toBeGreaterThan(5));
    const stopped = first.stop();
    release();
    await stopped;
    expect((await readStartedBuilds()).rowCount).toBeGreaterThan(5);
    log.scavenge(streams);
    environment.project(url, log, { limits: SMALL });
    for (const { name } of projections) {
      await eventually(async () => expect(await schemaOf(pool, name)).not.toBe(schemaOfBuild(name)));
      expect(await schemaOf(pool, name)).toBe(schemaOfBuild(name, 2));
    }
    const fresh = await projectAlone(log, last);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(fresh));
  });
});
