/** The graph of a data set with so many neighbours that a request returns only some of them. */
import { describe, expect, it } from 'vitest';
import { done, newDataSet } from '../fixtures.ts';
import { collection, idsOf, prepareGraphs, relate, steward, type } from '../graph-requests.ts';
import type { Json } from '../http-client.ts';

prepareGraphs();

const moreOf = (graph: Json, id: number): number => graph.nodes.find((node: Json) => node.id === id)?.more;

describe('the graph of a data set', () => {
  it('shows fifty neighbours of a node, and fifty more per request', async () => {
    const NEIGHBOURS = 53;
    const hub = await newDataSet(steward, type, collection);
    const spokes: number[] = [];
    for (let index = 0; index < NEIGHBOURS; index += 1) {
      const spoke = await newDataSet(steward, type, collection);
      await relate(hub, spoke);
      spokes.push(spoke);
    }
    const beyond = await newDataSet(steward, type, collection);
    const first = spokes[0] ?? 0;
    await relate(first, beyond);

    const capped = done(await steward.get(`/api/reference-data/${hub}/graph`));
    expect(capped.nodes).toHaveLength(51);
    expect(moreOf(capped, hub)).toBe(3);
    const whole = done(await steward.get(`/api/reference-data/${hub}/graph?expand=${hub}`));
    expect(whole.nodes).toHaveLength(NEIGHBOURS + 1);
    expect(moreOf(whole, hub)).toBe(0);
    expect(moreOf(whole, first)).toBe(1);
    const further = done(await steward.get(`/api/reference-data/${hub}/graph?expand=${hub},${first}`));
    expect(idsOf(further.nodes)).toContain(beyond);
    // For `beyond`, the hub is the neighbour of a neighbour. The graph contains it only if this neighbour is expanded too.
    const far = done(await steward.get(`/api/reference-data/${beyond}/graph?expand=${hub}`));
    expect(idsOf(far.nodes)).toEqual(idsOf([{ id: beyond }, { id: first }]));
    expect((await steward.get(`/api/reference-data/${hub}/graph?expand=x`)).status).toBe(400);
  }, 60_000);
});
