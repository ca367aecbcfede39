import { EVENT_BYTES_MAX } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { decideChunks, jsonBytes, toChunks } from './row-chunks.ts';

describe('chunks of rows', () => {
  it('each fit into one event, also with multi-byte characters', () => {
    const rows = Array.from({ length: 200 }, (_, index) => ({ index, name: '国'.repeat(4_000) }));
    const chunks = toChunks(rows, () => 0, jsonBytes).get(0) ?? [];
    expect(chunks.flat()).toEqual(rows);
    // A chunk can slightly exceed the maximum: toChunks does not count the brackets and commas of the array.
    for (const chunk of chunks) expect(Buffer.byteLength(JSON.stringify(chunk))).toBeLessThan(EVENT_BYTES_MAX * 1.01);
  });
  it('have at most a thousand rows', () => {
    const rows = Array.from({ length: 2_500 }, (_, id) => ({ id }));
    expect(
      toChunks(rows, () => 7)
        .get(7)
        ?.map((chunk) => chunk.length),
    ).toEqual([1_000, 1_000, 500]);
  });
});

describe('concurrent buckets', () => {
  it('all stop before the first failure is thrown', async () => {
    const chunks = new Map(Array.from({ length: 64 }, (_, bucket) => [bucket, [[bucket]]]));
    let runningCount = 0;
    const startedBuckets: number[] = [];
    const run = decideChunks({ withPace: (_, change) => change() }, chunks, async (bucket) => {
      startedBuckets.push(bucket);
      runningCount += 1;
      for (let turn = 0; turn <= bucket; turn++) await new Promise((resolve) => setImmediate(resolve));
      runningCount -= 1;
      if (bucket === 0) throw new Error('The store is unavailable');
      return [];
    });
    await expect(run).rejects.toThrow('The store is unavailable');
    expect(runningCount).toBe(0);
    const startedCount = startedBuckets.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(startedBuckets).toHaveLength(startedCount);
    expect(startedCount).toBeLessThan(64);
  });
});
