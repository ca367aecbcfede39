/** Tests the lag that the monitor shows while the projector reads no events, on a real PostgreSQL. */
import { type MonitorView, type Page, type ProjectionState, UNREAD_MAX } from '@rdm/contracts';
import { dataSetCreated } from '@rdm/contracts/testing/events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../fixtures/world.ts';
import { monitorRoutes } from './monitor.ts';

let world: World;
const appendDataSets = (first: number, count: number) => {
  for (let id = first; id < first + count; id++)
    world.append(`dataSet-${id}`, dataSetCreated({ id, name: `Set ${id}` }));
};
beforeAll(async () => {
  world = await startWorld();
  appendDataSets(1, 3);
  await world.project();
  const last = world.events.at(-1)?.position;
  await world.pool.query('UPDATE platform.reader SET seq = $1, commit_position = $2, prepare_position = $2', [
    world.events.length,
    String(last),
  ]);
}, 120_000);
afterAll(() => world?.stop());

async function readLags(context = world.context) {
  const routes = monitorRoutes(context);
  const { body } = await world.request<MonitorView>(routes, '/api/monitor');
  const listed = await world.request<Page<ProjectionState>>(routes, '/api/monitor/projections');
  const lagsOf = (projections: readonly ProjectionState[]) => [...new Set(projections.map(({ lag }) => lag))];
  return { unread: body.reader?.unread, lags: lagsOf(body.projections), listed: lagsOf(listed.body.items) };
}

describe('the monitor', () => {
  it('includes unread events in the lag of each read model, up to a maximum', async () => {
    expect(await readLags()).toEqual({ unread: 0, lags: [0], listed: [0] });
    appendDataSets(10, 2);
    expect(await readLags()).toEqual({ unread: 2, lags: [2], listed: [2] });
    appendDataSets(20, UNREAD_MAX);
    expect(await readLags()).toEqual({ unread: UNREAD_MAX, lags: [UNREAD_MAX], listed: [UNREAD_MAX] });
  });

  it('shows no number of unread events if the event store does not answer', async () => {
    const next = () => Promise.reject(new Error('The event store does not answer'));
    const store = { readAll: () => ({ [Symbol.asyncIterator]: () => ({ next }) }) } as never;
    expect((await readLags({ ...world.context, store })).unread).toBeNull();
  });
});
