/** Specifies how a graph becomes a picture: one line per pair and direction, nodes that never lie on each other. */
import { describe, expect, it } from 'vitest';
import { layOut, linesOf, NODE_HEIGHT, NODE_WIDTH, type PictureEdge, type PictureNode } from './picture.ts';

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

describe('lines', () => {
  it('say and open what joins two nodes alone', () =>
    expect(linesOf([edge(1, 2), edge(2, 1, 'relationship')])).toEqual([
      { id: '1-2', sourceId: 1, targetId: 2, label: '1 to 2', href: '/crosswalk', isDashed: false },
      { id: '2-1', sourceId: 2, targetId: 1, label: '2 to 1', href: '/relationship', isDashed: true },
    ]));
  it('count what joins them together', () =>
    expect(linesOf([edge(1, 2), edge(1, 2), edge(1, 2, 'relationship')])).toEqual([
      { id: '1-2', sourceId: 1, targetId: 2, label: '2 crosswalks, 1 relationship', href: undefined, isDashed: false },
    ]));
});

describe('the layout', () => {
  it.each(['LR', 'TB'] as const)('keeps nodes apart, whatever joins them: %s', (direction) => {
    const nodes = Array.from({ length: 51 }, (_, index) => node(index + 1));
    const edges = [...nodes.slice(1).map(({ id }) => edge(1, id)), edge(2, 1), edge(1, 1)];
    const { places, ways } = layOut(nodes, linesOf(edges), direction);
    const corners = [...places.values()];
    expect(corners).toHaveLength(51);
    for (const [index, a] of corners.entries()) {
      for (const b of corners.slice(index + 1)) {
        expect(Math.abs(a.x - b.x) >= NODE_WIDTH || Math.abs(a.y - b.y) >= NODE_HEIGHT).toBe(true);
      }
    }
    // Every line but the one that leads to itself has a way.
    expect([...ways.keys()].sort()).toEqual(
      linesOf(edges)
        .map(({ id }) => id)
        .filter((id) => id !== '1-1')
        .sort(),
    );
  });

  it('leads a long line around what lies between its ends', () => {
    const { places, ways } = layOut([node(1), node(2), node(3)], linesOf([edge(1, 2), edge(2, 3), edge(1, 3)]), 'LR');
    const between = places.get(2) ?? { x: 0, y: 0 };
    const { label } = ways.get('1-3') ?? { label: between };
    expect(label.y < between.y || label.y > between.y + NODE_HEIGHT).toBe(true);
  });

  it('places a node that nothing joins', () => expect(layOut([node(1)], [], 'TB').places.size).toBe(1));
});
