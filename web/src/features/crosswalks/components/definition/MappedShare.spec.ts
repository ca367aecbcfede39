/** Tests the texts of the mapped share. */
import { describe, expect, it } from 'vitest';
import { percentText, shareHint } from './MappedShare.tsx';

describe('the text of the mapped share', () => {
  it.each([
    [null, '—'],
    [0, '0%'],
    [0.4, '<1%'],
    [33.3, '33%'],
    [99.6, '99%'],
    [100, '100%'],
  ])('for %s is “%s”', (percent, text) => expect(percentText(percent)).toBe(text));
});

describe('the hint of the mapped share', () => {
  const counts = { draft: 3, pending: 1200, approved: 0, rejected: 0, served: 0 };
  it('states that only approved mappings count, and how many wait for approval', () =>
    expect(shareHint(counts)).toBe(
      'The share of the source rows that have an approved mapping. Waiting for approval: 1,200.',
    ));
  it('contains no number if no mapping waits for approval', () =>
    expect(shareHint({ ...counts, pending: 0 })).toBe('The share of the source rows that have an approved mapping.'));
});
