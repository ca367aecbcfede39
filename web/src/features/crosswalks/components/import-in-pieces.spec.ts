import type { ImportedMapping } from '@rdm/contracts/mapping-exchange';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as api from '../api/mappings.ts';
import { importInPieces, PIECE } from './import-in-pieces.ts';

vi.mock('../api/mappings.ts');
const { draftMappings, editMappings, reviewMappings } = vi.mocked(api);
afterEach(() => vi.resetAllMocks());

const row = (place: number, differs: Partial<ImportedMapping> = {}): ImportedMapping => ({
  row: place,
  outcome: 'new',
  sourceValue: `S${place}`,
  targetValue: 'T',
  confidence: 100,
  id: null,
  revision: null,
  before: null,
  problems: [],
  ...differs,
});
const changed = (place: number, id: number) => row(place, { outcome: 'changed', id, revision: 3 });
const done = (id: number, index?: number) => ({
  id,
  outcome: 'done' as const,
  revision: 1,
  ...(index === undefined ? {} : { index }),
});
const DUPLICATE = {
  id: 0,
  index: 1,
  outcome: 'refused' as const,
  code: 'DUPLICATE' as const,
  message: 'There already',
};

describe('an import in pieces', () => {
  it('drafts what is new, edits what is changed, and leaves the rest', async () => {
    draftMappings.mockResolvedValue({ commandId: 'batch', results: [done(71, 0), DUPLICATE] });
    editMappings.mockResolvedValue({ commandId: 'batch', results: [done(9), done(8)] });
    const rows = [
      row(2),
      row(3),
      changed(4, 8),
      changed(5, 9),
      row(6, { outcome: 'invalid' }),
      row(7, { outcome: 'unchanged' }),
    ];
    const { outcomes, added, stopped } = await importInPieces(1, rows, false, () => undefined);
    expect(draftMappings.mock.calls[0]?.[1].map(({ sourceValue, origin }) => [sourceValue, origin])).toEqual([
      ['S2', 'IMPORT'],
      ['S3', 'IMPORT'],
    ]);
    expect(outcomes.map(({ id, label, outcome }) => [id, label, outcome])).toEqual([
      [2, 'S2 → T', 'done'],
      [3, 'S3 → T', 'refused'],
      [5, 'S5 → T', 'done'],
      [4, 'S4 → T', 'done'],
    ]);
    expect(added).toEqual([{ id: 71, revision: 1 }]);
    expect(stopped).toBeUndefined();
    expect(reviewMappings).not.toHaveBeenCalled();
  });
  it('submits what it wrote where it is asked to, and tells what could not be', async () => {
    draftMappings.mockResolvedValue({ commandId: 'batch', results: [done(71, 0), done(72, 1)] });
    reviewMappings.mockResolvedValue({
      commandId: 'batch',
      results: [done(71), { ...DUPLICATE, id: 72, code: 'STALE' }],
    });
    const { outcomes, added } = await importInPieces(1, [row(2), row(3)], true, () => undefined);
    expect(reviewMappings.mock.calls).toEqual([
      [
        1,
        'submit',
        {
          rows: [
            { id: 71, revision: 1 },
            { id: 72, revision: 1 },
          ],
        },
      ],
    ]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['done', 'refused']);
    // What is under review is recalled rather than taken back.
    expect(added).toEqual([]);
  });
  it('stops where a piece fails, and says what was done before', async () => {
    draftMappings
      .mockImplementationOnce(async (_id, piece) => ({
        commandId: 'batch',
        results: piece.map((_, index) => done(index + 1, index)),
      }))
      .mockRejectedValueOnce(new Error('The server is away'));
    const rows = Array.from({ length: PIECE + 1 }, (_, index) => row(index + 2));
    const progress: number[] = [];
    const { outcomes, stopped } = await importInPieces(1, rows, false, ({ done: sofar }) => progress.push(sofar));
    expect(outcomes).toHaveLength(PIECE);
    expect(stopped).toContain('The server is away');
    expect(progress).toEqual([0, PIECE]);
  });
});
