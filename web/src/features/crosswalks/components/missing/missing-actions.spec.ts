/** Tests which pairs are drafted when a user accepts suggestions for missing mappings. */
import { expect, it } from 'vitest';
import type { MissingMapping } from '../../api/missing.ts';
import { pairsByCrosswalk } from './useMissingDrafts.tsx';

const missing = (crosswalkId: number, sourceValue: string, targetValue?: string): MissingMapping => ({
  id: 1,
  crosswalkId,
  crosswalkName: '',
  sourceValue,
  requestCount: 1,
  requestedAt: '',
  lastRequestedAt: '',
  requestUserId: null,
  requestUsername: null,
  requestApiKeyName: null,
  requestContext: null,
  proposed: null,
  ignored: false,
  ignoreReason: null,
  level: 'WRITE',
  suggestion: targetValue === undefined ? null : { targetValue, targetLabel: null, confidence: 90, reason: '' },
});

it('groups the suggested pairs by crosswalk', () => {
  const pairs = pairsByCrosswalk([
    missing(1, 'de', 'DEU'),
    missing(2, 'x', 'X'),
    missing(1, '?'),
    missing(1, 'fr', 'FRA'),
  ]);
  expect([...pairs].map(([id, rows]) => [id, rows.map((row) => `${row.sourceValue} ${row.targetValue}`)])).toEqual([
    [1, ['de DEU', 'fr FRA']],
    [2, ['x X']],
  ]);
});
