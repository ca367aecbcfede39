/** The same log gives the same rows: event by event, in large batches, resumed in the middle, and built anew. */
import { setImmediate } from 'node:timers/promises';
import { BUCKETS, type MappingEvent, streams } from '@rdm/contracts';
import { projections } from '@rdm/projector';
import { describe, expect, it } from 'vitest';
import { checksumsOf, eventually, MemoryLog, projected, schemaOf, useStand } from './environment.ts';
import { lifeOf, recorder } from './generated-history.ts';

const stand = useStand();
const ONE_BY_ONE = { events: 1, bytes: 1, rows: 1 };
const SEVEN = { events: 7, bytes: 1e9, rows: 1e9 };

async function projectedIn(events: ReturnType<typeof lifeOf>, limits?: typeof SEVEN) {
  const { url, pool } = await stand.database();
  const log = new MemoryLog();
  log.append(...events);
  stand.project(url, log, limits ? { limits } : {});
  await projected(pool, events.length);
  return { url, pool, log };
}

describe('the same log', () => {
  it('gives the same rows in whatever batches it comes', async () => {
    const events = lifeOf(7, 200);
    const [single, seven, many] = [
      await projectedIn(events, ONE_BY_ONE),
      await projectedIn(events, SEVEN),
      await projectedIn(events),
    ];
    const expected = await checksumsOf(single.pool);
    expect(Object.keys(expected)).toHaveLength(35);
    for (const [table, sum] of Object.entries(expected)) expect(sum, table).not.toBe('0:0');
    expect(await checksumsOf(seven.pool)).toEqual(expected);
    expect(await checksumsOf(many.pool)).toEqual(expected);
  });

  it('gives the same rows when a batch decides on more of them than are taken at once, some twice', async () => {
    const buckets = [0, 1, 2, 3, 4];
    const idsOf = (bucket: number) => Array.from({ length: 1_000 }, (_, row) => row * BUCKETS + bucket);
    const record = recorder();
    const toldOf = (actorId: number, eventOf: (ids: number[]) => MappingEvent) =>
      buckets.map((bucket) =>
        record({ ...eventOf(idsOf(bucket)), stream: streams.mappings(3, bucket), actorId, dataSetIds: [1, 2] }),
      );
    const drafted = toldOf(4, (ids) => ({
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
      ...toldOf(4, (ids) => ({ type: 'MappingsSubmitted', data: { ids } })),
      ...toldOf(5, (ids) => ({
        type: 'MappingsApproved',
        data: { ids: ids.slice(100), comment: 'nul\0 {"a,b"} \\N' },
      })),
      ...toldOf(5, (ids) => ({ type: 'MappingsRevoked', data: { ids: ids.slice(500, 600), comment: '' } })),
    ];
    const events = [...drafted, ...decided];
    const single = await projectedIn(events, ONE_BY_ONE);
    const { url, pool } = await stand.database();
    const log = new MemoryLog();
    log.append(...drafted);
    const first = stand.project(url, log);
    await projected(pool, drafted.length);
    await first.stop();
    log.append(...decided);
    stand.project(url, log);
    await projected(pool, events.length);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(single.pool));
    const crosswalks = await schemaOf(pool, 'crosswalks');
    const { rows } = await pool.query(`SELECT pending, approved, rejected, served FROM ${crosswalks}.mapping_counts`);
    expect(rows).toEqual([{ pending: 500, approved: 4_000, rejected: 500, served: 4_000 }]);
  });

  it('gives the same rows when every projection is built anew, under live traffic, and swaps them in', async () => {
    const events = lifeOf(8, 400);
    const { url, pool } = await stand.database();
    const log = new MemoryLog();
    log.append(...events.slice(0, 300));
    const { projector, detached } = stand.project(url, log, { graceMs: 300 });
    const last = events.length - 20;
    await projected(pool, 300);
    await projector.rebuilding?.rebuild(...projections);
    for (const event of events.slice(300, last)) {
      log.append(event);
      await setImmediate();
    }
    await eventually(async () => expect(await schemaOf(pool, 'instances')).toBe('instances_v2_b2'));
    await eventually(async () => {
      const { rows } = await pool.query(`SELECT to_regnamespace('instances_v2_b1') AS old`);
      expect(rows[0].old).toBeNull();
    });
    // Of the builds that are gone nobody complains.
    log.append(...events.slice(last));
    await projected(pool, events.length);
    const other = await projectedIn(events);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(other.pool));
    expect(detached).toEqual([]);
  });

  it('is not read ahead of the reader by what is built anew', async () => {
    const events = lifeOf(10, 120);
    const whole = await projectedIn(events);
    const { url, pool } = await stand.database();
    const log = new MemoryLog();
    const before = Math.floor(events.length / 2);
    log.append(...events);
    const letOn = log.holdFirstReaderAfter(before);
    const { projector } = stand.project(url, log);
    await projected(pool, before);
    await projector.rebuilding?.rebuild(...projections);
    await eventually(async () => expect(await schemaOf(pool, 'instances')).toBe('instances_v2_b2'));
    letOn();
    await projected(pool, events.length);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(whole.pool));
    const { rows } = await pool.query(`SELECT name FROM platform.builds WHERE state = 'DETACHED'`);
    expect(rows).toEqual([]);
  });

  it('is read on where it was left, also after the store ended or broke the subscription', async () => {
    const events = lifeOf(9, 120);
    const whole = await projectedIn(events);
    const { url, pool } = await stand.database();
    const log = new MemoryLog();
    log.append(...events.slice(0, 50));
    const first = stand.project(url, log);
    await projected(pool, 50);
    await first.stop();
    log.append(...events.slice(50));
    log.break = { after: 40 };
    stand.project(url, log, { limits: SEVEN });
    await eventually(() => expect(log.break).toBeUndefined());
    log.break = { after: 3, error: new Error('the store went away') };
    await projected(pool, events.length);
    expect(await checksumsOf(pool)).toEqual(await checksumsOf(whole.pool));
  });
});
