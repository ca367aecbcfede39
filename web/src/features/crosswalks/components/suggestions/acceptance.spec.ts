/** Tests accepting many suggestions at once. */
import { describe, expect, it, vi } from 'vitest';
import type { NewMapping } from '../../api/mappings.ts';
import { suggestion } from '../../fixtures.ts';
import { CHUNK, draftAll, draftInChunks, pairsOf } from './acceptance.ts';

describe('accepting all suggestions', () => {
  it('takes the best candidate of each value with candidates', () => {
    expect(
      pairsOf([suggestion('AT', ['AUT', 100], ['AUS', 60]), suggestion('DE', ['DEU', 90]), suggestion('UK')]),
    ).toEqual([
      { sourceValue: 'AT', targetValue: 'AUT', confidence: 100, origin: 'SUGGESTION' },
      { sourceValue: 'DE', targetValue: 'DEU', confidence: 90, origin: 'SUGGESTION' },
    ]);
  });
  it('continues until a page has only values that were refused before', async () => {
    const [a, b, c] = pairs(3) as [NewMapping, NewMapping, NewMapping];
    const pages = [[b, c], [b]];
    const draft = vi.fn(async (chunk: readonly NewMapping[]) =>
      chunk.map((pair) => ({ ...pair, outcome: pair === b ? ('refused' as const) : ('done' as const) })),
    );
    const outcomes = await draftAll([a], async () => pages.shift() ?? [], draft);
    expect(outcomes.map(({ sourceValue, outcome }) => [sourceValue, outcome])).toEqual([
      ['S0', 'done'],
      ['S1', 'refused'],
      ['S2', 'done'],
    ]);
    expect(draft).toHaveBeenCalledTimes(2);
  });
  it('stops if no pair of a page can be drafted', async () => {
    const loadNextPage = vi.fn(async () => pairs(3));
    await draftAll(pairs(1), loadNextPage, async (chunk) =>
      chunk.map((pair) => ({ ...pair, outcome: 'refused' as const })),
    );
    expect(loadNextPage).not.toHaveBeenCalled();
  });
});

const pairs = (count: number): NewMapping[] =>
  Array.from({ length: count }, (_, index) => ({
    sourceValue: `S${index}`,
    targetValue: `T${index}`,
    confidence: 100,
    origin: 'SUGGESTION',
  }));
const drafted = async (rows: readonly NewMapping[]) => ({
  results: rows.map((_, index) => ({ id: index + 64, index, outcome: 'done' as const, revision: 1 })),
});

describe('drafting in chunks', () => {
  it('sends one request per chunk, and reports the progress after each chunk', async () => {
    const draft = vi.fn(drafted);
    const progress: number[] = [];
    const outcomes = await draftInChunks(pairs(CHUNK * 2 + 1), draft, (done) => progress.push(done));
    expect(draft.mock.calls.map(([rows]) => rows.length)).toEqual([CHUNK, CHUNK, 1]);
    expect(progress).toEqual([CHUNK, CHUNK * 2, CHUNK * 2 + 1]);
    expect(outcomes.every(({ outcome }) => outcome === 'done')).toBe(true);
  });

  it('returns the results in the order of the pairs', async () => {
    const outcomes = await draftInChunks(
      pairs(2),
      async () => ({
        results: [
          { id: 1, index: 1, outcome: 'refused', code: 'DUPLICATE', message: 'This pair exists already' },
          { id: 128, index: 0, outcome: 'done', revision: 1 },
        ],
      }),
      () => undefined,
    );
    expect(outcomes).toMatchObject([
      { sourceValue: 'S0', outcome: 'done', drafted: { id: 128, revision: 1 } },
      { sourceValue: 'S1', outcome: 'refused', message: 'This pair exists already' },
    ]);
  });

  it('keeps the results of earlier chunks when a chunk fails, and reports later pairs as refused', async () => {
    const draft = vi
      .fn(drafted)
      .mockImplementationOnce(drafted)
      .mockRejectedValueOnce(new Error('The network is gone'));
    const outcomes = await draftInChunks(pairs(CHUNK * 2 + 5), draft, () => undefined);
    expect(draft).toHaveBeenCalledTimes(2);
    expect(outcomes).toHaveLength(CHUNK * 2 + 5);
    expect(outcomes.filter(({ outcome }) => outcome === 'done')).toHaveLength(CHUNK);
    expect(outcomes.at(-1)).toMatchObject({ outcome: 'refused', message: 'The network is gone' });
  });
});
