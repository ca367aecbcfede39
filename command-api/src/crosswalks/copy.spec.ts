import type { Mapping } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { copyablePairs, countAmbiguousSources } from './copy.ts';

const mapping = (id: number, sourceValue: string, targetValue: string, more: Partial<Mapping> = {}): Mapping => ({
  id,
  sourceValue,
  revision: 1,
  approvalStatus: 'DRAFT',
  value: { targetValue, confidence: 90 },
  served: null,
  deletionRequested: false,
  deleted: false,
  submittedBy: null,
  authors: [],
  approvedBy: null,
  approvedAt: null,
  changedBy: null,
  changedAt: '2026-01-01T00:00:00.000Z',
  ...more,
});

describe('copyablePairs', () => {
  it('returns the served value of a mapping, or the working value if none is served', () => {
    const served = { targetValue: 'DEU', confidence: 100 };
    const mappings = [
      mapping(2, 'DE', 'GER', { served }),
      mapping(1, 'FR', 'FRA'),
      mapping(3, 'IT', 'ITA', { deleted: true }),
    ];
    expect(copyablePairs(mappings, false)).toEqual({
      copied: [
        { id: 1, sourceValue: 'FR', targetValue: 'FRA', confidence: 90 },
        { id: 2, sourceValue: 'DE', targetValue: 'DEU', confidence: 100 },
      ],
      skipped: [],
    });
  });
  it('skips rejected mappings that are not served', () => {
    const served = { targetValue: 'DEU', confidence: 100 };
    const { copied, skipped } = copyablePairs(
      [
        mapping(1, 'FR', 'XXX', { approvalStatus: 'REJECTED' }),
        mapping(2, 'DE', 'GER', { approvalStatus: 'REJECTED', served }),
      ],
      false,
    );
    expect(copied.map(({ targetValue }) => targetValue)).toEqual(['DEU']);
    expect(skipped).toEqual([{ id: 1, sourceValue: 'FR', targetValue: 'XXX', message: 'It was rejected' }]);
  });
  it('exchanges source and target of each pair for a reversed crosswalk', () => {
    const pairs = [mapping(1, 'GB', 'GBR'), mapping(2, 'GB', 'IMN'), mapping(3, 'UK', 'GBR')];
    const forward = copyablePairs(pairs, false).copied;
    const reversed = copyablePairs(pairs, true).copied;
    expect(reversed.map(({ sourceValue, targetValue }) => [sourceValue, targetValue])).toEqual([
      ['GBR', 'GB'],
      ['IMN', 'GB'],
      ['GBR', 'UK'],
    ]);
    expect([countAmbiguousSources(forward), countAmbiguousSources(reversed)]).toEqual([1, 1]);
  });
});
