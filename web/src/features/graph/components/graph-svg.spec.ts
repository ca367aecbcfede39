/** Tests the exported drawing: escaped texts, wrapped names, and a view box that contains all nodes. */
import { describe, expect, it } from 'vitest';
import { svgOf, wrapText } from './graph-svg.ts';
import { layoutGraph, linesOf, type Picture } from './picture.ts';

const picture: Picture = {
  nodes: [1, 2].map((id) => ({
    id,
    name: id === 1 ? 'R&D <codes>' : 'Countries',
    detail: '250 rows',
    isRoot: id === 1,
    isPublic: false,
    more: 0,
  })),
  edges: [{ kind: 'relationship', sourceId: 1, targetId: 2, label: 'is in', href: undefined }],
};

describe('the drawing', () => {
  const lines = linesOf(picture.edges);
  const { svg, width, height } = svgOf(picture, lines, layoutGraph(picture.nodes, lines, 'LR'));
  const document = new DOMParser().parseFromString(svg, 'image/svg+xml');

  it('is well-formed, with the names as texts', () => {
    expect(document.querySelector('parsererror')).toBeNull();
    expect([...document.querySelectorAll('text')].map(({ textContent }) => textContent)).toEqual([
      'is in',
      'R&D <codes>',
      '250 rows',
      'Countries',
      '250 rows',
    ]);
  });
  it('has a view box that contains every node', () => {
    const [left = 0, top = 0] = document.documentElement.getAttribute('viewBox')?.split(' ').map(Number) ?? [];
    for (const box of document.querySelectorAll('rect')) {
      const [x, y, w, h] = ['x', 'y', 'width', 'height'].map((name) => Number(box.getAttribute(name)));
      expect(x).toBeGreaterThanOrEqual(left);
      expect(y).toBeGreaterThanOrEqual(top);
      expect((x ?? 0) + (w ?? 0)).toBeLessThanOrEqual(left + width);
      expect((y ?? 0) + (h ?? 0)).toBeLessThanOrEqual(top + height);
    }
  });
  it('draws relationships dashed', () =>
    expect(document.querySelector('path[stroke-dasharray]')?.getAttribute('marker-end')).toBe('url(#arrow)'));
});

describe('a wrapped text', () => {
  it('breaks between words', () =>
    expect(wrapText('Countries of the world', 110, 13)).toEqual(['Countries of', 'the world']));
  it('has at most two lines, and ends with an ellipsis if it is longer', () => {
    const lines = wrapText('Countries of the world as of the last year of the register', 110, 13);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/…$/);
  });
  it('cuts a word that is longer than a line', () => expect(wrapText('x'.repeat(80), 110, 13)[0]).toMatch(/^x+…$/));
});
