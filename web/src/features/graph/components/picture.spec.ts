/** Tests the picture of a graph: one line per pair and direction, and nodes that do not overlap. */
import { describe, expect, it } from 'vitest';
import { layoutGraph, linesOf, NODE_HEIGHT, NODE_WIDTH, type PictureEdge, type PictureNode } from './picture.ts';

const node = (id: number): PictureNode => ({
  id,
  name: `N${id}`,
  detail: '',
  isRoot: id === 1,
  isPublic: false,
  more: 0,
});
const edge = (sourceId: number, targetId: number, kind: PictureEdge['kind'] = 'crosswalk'): PictureEdge => ({
  kind,
  sourceId,
  targetId,
  label: `${sourceId} to ${targetId}`,
  href: `/${kind}`,
});

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
const overlap = (a: Box | undefined, b: Box): boolean =>
  a !== undefined && a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

describe('lines', () => {
  it('of a single edge have the label and link of the edge', () =>
    expect(linesOf([edge(1, 2), edge(2, 1, 'relationship')])).toEqual([
      { id: '1-2', sourceId: 1, targetId: 2, label: '1 to 2', href: '/crosswalk', isDashed: false },
      { id: '2-1', sourceId: 2, targetId: 1, label: '2 to 1', href: '/relationship', isDashed: true },
    ]));
  it('of several edges have the number of edges of each kind as label', () =>
    expect(linesOf([edge(1, 2), edge(1, 2), edge(1, 2, 'relationship')])).toEqual([
      { id: '1-2', sourceId: 1, targetId: 2, label: '2 crosswalks, 1 relationship', href: undefined, isDashed: false },
    ]));
});

describe('the layout', () => {
  it.each(['LR', 'TB'] as const)('with the direction %s draws each line and lets no nodes overlap', (direction) => {
    const nodes = Array.from({ length: 51 }, (_, index) => node(index + 1));
    const edges = [...nodes.slice(1).map(({ id }) => edge(1, id)), edge(2, 1), edge(1, 1)];
    const { positions, edgePaths } = layoutGraph(nodes, linesOf(edges), direction);
    const corners = [...positions.values()];
    expect(corners).toHaveLength(51);
    for (const [index, a] of corners.entries()) {
      for (const b of corners.slice(index + 1)) {
        expect(Math.abs(a.x - b.x) >= NODE_WIDTH || Math.abs(a.y - b.y) >= NODE_HEIGHT).toBe(true);
      }
    }
    expect([...edgePaths.keys()].sort()).toEqual(
      linesOf(edges)
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('draws an edge from a node to itself as a loop, with its label outside all nodes', () => {
    const nodes = [node(1), node(2), node(3), node(4)];
    const { positions, edgePaths, labelOf } = layoutGraph(
      nodes,
      linesOf([edge(1, 2), edge(1, 3), edge(1, 4), edge(3, 3, 'relationship')]),
      'LR',
    );
    const loop = edgePaths.get('3-3');
    const loopNode = positions.get(3) ?? { x: 0, y: 0 };
    const label = loop === undefined ? undefined : labelOf(loop);
    expect(loop?.path).toMatch(new RegExp(`^M [\\d.]+,${loopNode.y} C .* [\\d.]+,${loopNode.y}$`));
    for (const { x, y } of positions.values())
      expect(overlap(label, { x, y, width: NODE_WIDTH, height: NODE_HEIGHT })).toBe(false);
  });

  it('places the label of a long line outside the nodes between its ends', () => {
    const { positions, edgePaths } = layoutGraph(
      [node(1), node(2), node(3)],
      linesOf([edge(1, 2), edge(2, 3), edge(1, 3)]),
      'LR',
    );
    const middleNode = positions.get(2) ?? { x: 0, y: 0 };
    const { label } = edgePaths.get('1-3') ?? { label: middleNode };
    expect(label.y < middleNode.y || label.y > middleNode.y + NODE_HEIGHT).toBe(true);
  });

  it.each(['LR', 'TB'] as const)(
    'places each label beside its line and outside all nodes in direction %s',
    (direction) => {
      const nodes = Array.from({ length: 12 }, (_, index) => node(index + 1));
      const lines = linesOf([...nodes.slice(1).map(({ id }) => edge(1, id)), edge(2, 3), edge(3, 12)]);
      const { positions, edgePaths, labelOf } = layoutGraph(nodes, lines, direction);
      for (const edgePath of edgePaths.values()) {
        const label = labelOf(edgePath);
        expect(overlap(label, { ...edgePath.label, width: 0, height: 0 })).toBe(false);
        for (const position of positions.values()) {
          expect(overlap(label, { ...position, width: NODE_WIDTH, height: NODE_HEIGHT })).toBe(false);
        }
      }
    },
  );

  it('places a node without edges', () => expect(layoutGraph([node(1)], [], 'TB').positions.size).toBe(1));
});
