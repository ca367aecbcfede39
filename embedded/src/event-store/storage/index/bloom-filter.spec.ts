import { describe, expect, it } from 'vitest';
import { addToBloom, bloomWords, isInBloom } from './bloom-filter.ts';
import { hashOf } from './stream-hash.ts';

const KEYS = 50_000;
const names = (category: string) => Array.from({ length: KEYS }, (_, number) => `${category}-${number}`);

describe('a Bloom filter', () => {
  it('contains every added name, and fewer than 3 in 1,000 other names', () => {
    const words = new Uint32Array(bloomWords(KEYS));
    for (const name of names('dataSet')) addToBloom(words, hashOf(name));
    const namesFound = (category: string) => names(category).filter((name) => isInBloom(words, hashOf(name))).length;
    expect(namesFound('dataSet')).toBe(KEYS);
    for (const other of ['referenceType', 'dataSet2', '$$dataSet', 'd']) {
      expect(namesFound(other) / KEYS).toBeLessThan(0.003);
    }
  });

  it('contains no name if no name was added', () => {
    expect(isInBloom(new Uint32Array(bloomWords(0)), hashOf('a'))).toBe(false);
  });
});
