/** The graph of a data set with so many neighbours that a request returns only some of them. */
import { describe, expect, it } from 'vitest';
import { done, newDataSet } from '../fixtures.ts';
import { collection, idsOf, prepareGraphs, relate, steward, type } from '../graph-requests.ts';
import type { Json } from '../http-client.ts';

prepareGraphs();

const moreOf = (graph: Json, id: number): number => graph.nodes.find((node: Json) => node.id === id)?.more;

describe('the graph of a data set', () => {
  it('shows fifty neighbours of a node, and all neighbours of an expanded node', async () => {
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

    const limitedGraph = done(await steward.get(`/api/reference-data/${hub}/graph`));
    expect(limitedGraph.nodes).toHaveLength(51);
    expect(moreOf(limitedGraph, hub)).toBe(3);
    const expandedGraph = done(await steward.get(`/api/reference-data/${hub}/graph?expand=${hub}`));
    expect(expandedGraph.nodes).toHaveLength(NEIGHBOURS + 1);
    expect(moreOf(expandedGraph, hub)).toBe(0);
    expect(moreOf(expandedGraph, first)).toBe(1);
    const graphWithTwoExpanded = done(await steward.get(`/api/reference-data/${hub}/graph?expand=${hub},${first}`));
    expect(idsOf(graphWithTwoExpanded.nodes)).toContain(beyond);
    // The hub is two steps from `beyond`: the graph contains the hub only if `first` is expanded.
    const graphOfBeyond = done(await steward.get(`/api/reference-data/${beyond}/graph?expand=${hub}`));
    expect(idsOf(graphOfBeyond.nodes)).toEqual(idsOf([{ id: beyond }, { id: first }]));
    expect((await steward.get(`/api/reference-data/${hub}/graph?expand=x`)).status).toBe(400);
  }, 60_000);
});
