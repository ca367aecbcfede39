/**
 * Kills the maintenance process at each step of one purge, which is completed exactly once. With FAULTS=long, further
 * purges have one kill each.
 */
import { PURGE_STEPS, PURGES_STREAM, streams as streamNames } from '@rdm/contracts';
import { expect, it } from 'vitest';
import { done, newCollection } from '../stories/fixtures.ts';
import type { Json } from '../stories/http-client.ts';
import {
  admin,
  createDeletedItems,
  expectSealed,
  isPurged,
  keptDataSet,
  killAtSteps,
  olga,
  pool,
  purgesOf,
  requestPurge,
  store,
  useProduct,
} from './purges/product.ts';

useProduct();

it.each(purgesOf(PURGE_STEPS.map((step) => ({ part: 'maintenance', step }))))(
  'a purge is completed after kills: %s',
  async (_, kills) => {
    const collection = await newCollection(admin);
    const { dataSet, crosswalk } = await createDeletedItems(collection);
    const purge = await requestPurge(collection);
    const { id } = purge;

    await killAtSteps(kills, async () => done(await olga.post(`/api/purges/${id}/confirm`)));
    const { body: ended } = await admin.eventually(
      `/api/purges/${id}`,
      ({ body }) => ['RECLAIMING', 'DONE', 'FAILED'].includes(body.status),
      110_000,
    );
    expect(ended).toMatchObject({ status: 'DONE', problem: null, leftovers: [] });

    const { streams, events } = await expectSealed(purge);

    const registered: Json[] = [];
    for await (const { data } of store.read(PURGES_STREAM)) registered.push(data);
    expect(registered.filter(({ purgeId }) => purgeId === id)).toEqual([
      { purgeId: id, events: events.length, firstSeq: events[0]?.seq, lastSeq: events.at(-1)?.seq },
    ]);

    for (const { stream } of streams) expect([stream, await isPurged(stream)]).toEqual([stream, true]);
    expect(await isPurged(streamNames.dataSet(keptDataSet))).toBe(false);
    const { rowCount } = await pool.query(
      `SELECT FROM command.commands c WHERE EXISTS (SELECT FROM jsonb_object_keys(c.steps) step
       WHERE split_part(step, '#', 1) IN ($1, $2))`,
      [streamNames.dataSet(dataSet), streamNames.crosswalk(crosswalk)],
    );
    expect(rowCount).toBe(0);
    expect(done(await admin.get(`/api/reference-data/${keptDataSet}/instances`)).items).toMatchObject([
      { data: { code: 'kept' } },
    ]);
  },
);
