/** Hashes stream names: index files and their Bloom filters find streams by these hashes. */

/** Two hashes of 32 bits each. They are part of the format of index files. */
export interface StreamHash {
  readonly high: number;
  readonly low: number;
}

export function hashOf(name: string): StreamHash {
  let high = 0x9e3779b1;
  let low = 0x85ebca6b;
  for (let at = 0; at < name.length; at += 1) {
    const unit = name.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x27d4eb2f);
    low = (low << 13) | (low >>> 19);
  }
  return { high: mixBits(high ^ low), low: mixBits(low ^ name.length) };
}

/** Makes every bit of a hash depend on every bit of the value. */
function mixBits(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
