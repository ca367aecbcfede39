/** Tests the text of the mapped share. */
import { describe, expect, it } from 'vitest';
import { percentText } from './MappedShare.tsx';

describe('the text of the mapped share', () => {
  it.each([
    [null, '—'],
    [0, '0%'],
    [0.4, '<1%'],
    [33.3, '33%'],
    [99.6, '99%'],
    [100, '100%'],
  ])('of %s reads %s', (percent, text) => expect(percentText(percent)).toBe(text));
});
