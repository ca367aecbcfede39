/** A Bloom filter that stores all bits of a key in one cache line, so that a test needs one memory access. */
import type { StreamHash } from './stream-hash.ts';

const WORDS_PER_BLOCK = 16;
/** With 16 bits per key and 8 of them set, about 1 in 1,000 tests of a missing key is a false positive. */
const BITS_PER_KEY = 16;
const BITS_SET = 8;

/** Returns the number of 32-bit words of a filter for this number of keys. */
export function bloomWords(keys: number): number {
  return Math.max(1, Math.ceil((keys * BITS_PER_KEY) / (32 * WORDS_PER_BLOCK))) * WORDS_PER_BLOCK;
}

export function addToBloom(words: Uint32Array, hash: StreamHash): void {
  const block = blockOf(words, hash);
  let bits = hash.low;
  for (let count = 0; count < BITS_SET; count += 1) {
    const word = block + (bits >>> 28);
    words[word] = (words[word] ?? 0) | (1 << ((bits >>> 23) & 31));
    bits = (bits + stepOf(hash)) | 0;
  }
}

/** Whether the key may have been added. False means that it was certainly not added. */
export function isInBloom(words: Uint32Array, hash: StreamHash): boolean {
  const block = blockOf(words, hash);
  const step = stepOf(hash);
  let bits = hash.low;
  for (let count = 0; count < BITS_SET; count += 1) {
    if ((((words[block + (bits >>> 28)] ?? 0) >>> ((bits >>> 23) & 31)) & 1) === 0) return false;
    bits = (bits + step) | 0;
  }
  return true;
}

const blockOf = (words: Uint32Array, { high }: StreamHash) =>
  Math.floor((high / 2 ** 32) * (words.length / WORDS_PER_BLOCK)) * WORDS_PER_BLOCK;

/** An odd number that is large enough to change the upper bits. */
const stepOf = ({ high, low }: StreamHash) => (Math.imul(low, 0x9e3779b1) ^ (high << 8)) | 0x0100_0001;
