import { EVENT_BYTES_MAX } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { inChunks, jsonBytes } from './rows.ts';

describe('rows in chunks', () => {
  it('fit one event each, in bytes and whatever the alphabet', () => {
    const rows = Array.from({ length: 200 }, (_, index) => ({ index, name: '国'.repeat(4_000) }));
    const chunks = inChunks(rows, () => 0, jsonBytes).get(0) ?? [];
    expect(chunks.flat()).toEqual(rows);
    for (const chunk of chunks) expect(Buffer.byteLength(JSON.stringify(chunk))).toBeLessThan(EVENT_BYTES_MAX * 1.01);
  });
  it('hold a thousand ids at most', () => {
    const ids = Array.from({ length: 2_500 }, (_, id) => ({ id }));
    expect(
      inChunks(ids, () => 7)
        .get(7)
        ?.map((chunk) => chunk.length),
    ).toEqual([1_000, 1_000, 500]);
  });
});
