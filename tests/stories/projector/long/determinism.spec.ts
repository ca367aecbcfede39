/**
 * The same log produces the same rows when one batch contains decisions on very many rows, and when every projection is
 * rebuilt under live traffic.
 */
import { setImmediate } from 'node:timers/promises';
import { BUCKETS, type MappingEvent, streams } from '@rdm/contracts';
import { projections } from '@rdm/projector';
import { describe, expect, it } from 'vitest';
import { checksumsOf, eventually, MemoryLog, schemaOf, schemaOfBuild, waitUntilProjected } from '../environment.ts';
import { loggedHistory, recorder } from '../generated-history.ts';
import { environment, ONE_BY_ONE, projectInBatches, useProjections } from '../projected-history.ts';

useProjections();

describe('the same log', () => {
  it('produces the same rows when a batch has more decisions than one statement takes, and several on some rows', async () => {
    const buckets = [0, 1, 2, 3, 4];
    const idsOf = (bucket: number) => Array.from({ length: 1_000 }, (_, row) => row * BUCKETS + bucket);
    const record = recorder();
    const recordForBuckets = (actorId: number, eventOf: (ids: number[]) => MappingEvent) =>
      buckets.map((bucket) =>
        record({ ...eventOf(idsOf(bucket)), stream: streams.mappings(3, bucket), actorId, dataSetIds: [1, 2] }),
      );
    const drafted = recordForBuckets(4, (ids) => ({
      type: 'MappingsDrafted',
      data: {
        rows: ids.map((id) => ({
          id,
          sourceValue: `s${id % 900}`,
          targetValue: `t${id}`,
          confidence: 1,
          origin: 'MANUAL',
        })),
      },
    }));
    const decided = [
      ...recordForBuckets(4, (ids) => ({ type: 'MappingsSubmitted', data: { ids } })),
      ...recordForBuckets(5, (ids) => ({
        type: 'MappingsApproved',
        data: { ids: ids.slice(100), comment: 'nul\0 {"a,b"} \\N' },
      })),
      ...recordForBuckets(5, (ids) => ({ type: 'MappingsRevoked', data: { ids: ids.slice(500, 600), comment: '' } })),
    ];
    const events = [...drafted, ...decided];
    const single = await projectInBatches(events, ONE_BY_ONE);
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...drafted);
    const first = environment.project(url, log);
    await waitUntilProjected(pool, drafted.length);
    await first.stop();
    log.append(...decided);
    environment.project(url, log);
    await waitUntilProjected(pool, events.length);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(single.pool));
    const crosswalks = await schemaOf(pool, 'crosswalks');
    const { rows } = await pool.query(`SELECT pending, approved, rejected, served FROM ${crosswalks}.mapping_counts`);
    expect(rows).toEqual([{ pending: 500, approved: 4_000, rejected: 500, served: 4_000 }]);
  });

  it('produces the same rows when every projection is rebuilt under live traffic', async () => {
    const events = loggedHistory(8, 400);
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    log.append(...events.slice(0, 300));
    const { projector, detached } = environment.project(url, log, { graceMs: 300 });
    const last = events.length - 20;
    await waitUntilProjected(pool, 300);
    await projector.rebuilder?.rebuild(...projections);
    for (const event of events.slice(300, last)) {
      log.append(event);
      await setImmediate();
    }
    await eventually(async () => expect(await schemaOf(pool, 'instances')).toBe(schemaOfBuild('instances', 2)));
    await eventually(async () => {
      const { rows } = await pool.query(`SELECT to_regnamespace('${schemaOfBuild('instances')}') AS old`);
      expect(rows[0].old).toBeNull();
    });
    // The replaced builds are dropped, so they report no errors for later events.
    log.append(...events.slice(last));
    await waitUntilProjected(pool, events.length);
    const other = await projectInBatches(events);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(other.pool));
    expect(detached).toEqual([]);
  });
});
