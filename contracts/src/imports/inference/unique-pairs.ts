/** Finds pairs of columns that together identify the records of a file. */
import { DistinctValues, type Hash } from './distinct-values.ts';

/** The maximum number of records that are compared, from the first one. */
const RECORDS_MAX = 100_000;
/** The maximum number of columns that are compared, from the first one. */
const COLUMNS_MAX = 12;
/** The number of records for which the array of hashes has space at first. */
const INITIAL_CAPACITY = 256;

/** Stores the hashes of the first columns of the first records. */
export class UniquePairs {
  #hashes = new Uint32Array(2 * COLUMNS_MAX * INITIAL_CAPACITY);
  #records = 0;

  /** Stores the hash of a cell of the current record. */
  keep(column: number, { high, low }: Hash): void {
    if (column >= COLUMNS_MAX || this.#records >= RECORDS_MAX) return;
    const at = 2 * (this.#records * COLUMNS_MAX + column);
    if (at >= this.#hashes.length) {
      const grown = new Uint32Array(2 * this.#hashes.length);
      grown.set(this.#hashes);
      this.#hashes = grown;
    }
    this.#hashes[at] = high;
    this.#hashes[at + 1] = low;
  }

  endRecord(): void {
    this.#records += 1;
  }

  /** Returns the unique pair with the shortest values, by their median lengths; undefined if no pair is unique. */
  shortest(columns: readonly { index: number; statistics: { medianLength: number } }[]): [number, number] | undefined {
    const usable = columns.filter(({ index }) => index < COLUMNS_MAX);
    const pairs = usable.flatMap((one, at) =>
      usable.slice(at + 1).map((other) => ({
        pair: [one.index, other.index] as [number, number],
        length: one.statistics.medianLength + other.statistics.medianLength,
      })),
    );
    return pairs.sort((one, other) => one.length - other.length).find(({ pair }) => this.#isUnique(pair))?.pair;
  }

  #isUnique([one, other]: readonly [number, number]): boolean {
    const compared = Math.min(this.#records, RECORDS_MAX);
    const distinctPairs = new DistinctValues(RECORDS_MAX);
    const hash: Hash = { high: 0, low: 0 };
    for (let record = 0; record < compared; record++) {
      const [first, second] = [one, other].map((column) => 2 * (record * COLUMNS_MAX + column)) as [number, number];
      hash.high = (Math.imul(this.#hashes[first] as number, 31) ^ (this.#hashes[second] as number)) >>> 0;
      hash.low = (Math.imul(this.#hashes[first + 1] as number, 37) ^ (this.#hashes[second + 1] as number)) >>> 0;
      distinctPairs.add(hash);
      if (distinctPairs.repeated > 0) return false;
    }
    return compared > 0;
  }
}
