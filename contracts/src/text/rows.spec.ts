import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BUCKETS } from '../constants.ts';
import { bucketOfRow, parseStream, streams } from '../events/streams.ts';
import { booleanByPrefix, bucketOfKey, canonicalKey, checkCell, DATA_TYPES, parseCell, rowId } from './rows.ts';

describe('keys', () => {
  it('are equal for texts that are equal in NFC', () => {
    expect(canonicalKey(['Zürich'])).toBe(canonicalKey(['Zu\u0308rich']));
    expect(canonicalKey(['1'])).not.toBe(canonicalKey([1]));
    expect(canonicalKey(['a', 'b'])).not.toBe(canonicalKey(['a","b']));
  });
  it('determine a bucket that never changes', () => {
    // Rows are stored in these buckets. With a different result, the product would not find them.
    expect(bucketOfKey('["DE"]')).toBe(46);
    expect(bucketOfKey('["FR"]')).toBe(63);
  });
  it('spread evenly over the buckets', () => {
    const counts = new Array<number>(BUCKETS).fill(0);
    for (let code = 0; code < 64_000; code++) {
      const bucket = bucketOfKey(canonicalKey([String(code).padStart(6, '0')]));
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(800);
    expect(Math.max(...counts)).toBeLessThan(1_200);
  });
  it('have the same bucket as the ids of their rows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), fc.string(), (sequence, code) => {
        const key = canonicalKey([code]);
        expect(bucketOfRow(rowId(sequence, key))).toBe(bucketOfKey(key));
      }),
    );
  });
});

describe('reading text as cells', () => {
  it('keeps strings exactly', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        expect(parseCell(text, 'string')).toEqual({ ok: true, value: text });
      }),
    );
    expect(parseCell('007', 'string')).toEqual({ ok: true, value: '007' });
  });
  it('reads empty text as null for every type', () => {
    for (const type of DATA_TYPES) expect(parseCell('', type)).toEqual({ ok: true, value: null });
  });
  it.each([
    ['12.5', 'number', 12.5],
    [' -3 ', 'number', -3],
    ['1e3', 'number', 1000],
    ['yes', 'boolean', true],
    ['FALSE', 'boolean', false],
    ['2024-02-29', 'date', '2024-02-29'],
  ] as const)('reads %j as a %s', (text, type, value) => {
    expect(parseCell(text, type)).toEqual({ ok: true, value });
  });
  it.each([
    ['12,5', 'number'],
    ['0x10', 'number'],
    ['Infinity', 'number'],
    ['1e999', 'number'],
    ['maybe', 'boolean'],
    ['2023-02-29', 'date'],
    ['29.02.2024', 'date'],
  ] as const)('refuses %j as a %s, with the text in the reason', (text, type) => {
    const parsed = parseCell(text, type);
    expect(parsed).toMatchObject({ ok: false });
    expect(!parsed.ok && parsed.reason).toContain(text);
  });
  it('refuses a number that would lose digits, and accepts extra zeros and exponents', () => {
    for (const text of [
      '12345678901234567890',
      '9007199254740993',
      '0.12345678901234567891',
      '1e-400',
      `1.${'0'.repeat(500)}1`,
    ]) {
      expect(parseCell(text, 'number'), text).toMatchObject({ ok: false });
    }
    for (const [text, value] of [
      ['9007199254740992', 9007199254740992],
      ['9460730472580800', 9460730472580800],
      ['6.02214076e23', 6.02214076e23],
      ['-0001.5000000000000000000', -1.5],
      ['100000000000000000000', 1e20],
      ['0.000000000000000000000', 0],
    ] as const) {
      expect(parseCell(text, 'number'), text).toEqual({ ok: true, value });
    }
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(parseCell(String(value), 'number')).toEqual({ ok: true, value: Number(String(value)) });
      }),
    );
  });

  it('refuses dates before the year 1', () => {
    expect(parseCell('0000-02-29', 'date').ok).toBe(false);
    expect(checkCell('0000-01-01', 'date').ok).toBe(false);
    expect(parseCell('0001-01-01', 'date').ok).toBe(true);
  });

  it('returns values that are valid typed cells', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...DATA_TYPES), (text, type) => {
        const parsed = parseCell(text, type);
        if (parsed.ok) expect(checkCell(parsed.value, type)).toEqual(parsed);
      }),
    );
  });
});

describe('the prefix of a word for a boolean', () => {
  it('determines the boolean', () => {
    for (const text of ['t', 'TRU', 'y', 'yes', '1']) expect(booleanByPrefix(text), text).toBe(true);
    for (const text of ['f', 'FALSE', 'n', 'no', '0']) expect(booleanByPrefix(text), text).toBe(false);
    for (const text of ['on', 'wahr', '2', ' ', 'none']) expect(booleanByPrefix(text), text).toBeUndefined();
  });
});

describe('typed cells', () => {
  it('are never coerced', () => {
    expect(checkCell('5', 'number')).toMatchObject({ ok: false });
    expect(checkCell(5, 'string')).toMatchObject({ ok: false });
    expect(checkCell(1, 'boolean')).toMatchObject({ ok: false });
    expect(checkCell(Number.NaN, 'number')).toMatchObject({ ok: false });
    expect(checkCell({}, 'string')).toMatchObject({ ok: false });
  });
});

describe('names of streams', () => {
  it('are parsed into the parts from which they were built', () => {
    expect(parseStream(streams.mappings(12, 7))).toEqual({ category: 'mappings', id: 12, bucket: 7 });
    expect(parseStream(streams.dataSet(3))).toEqual({ category: 'dataSet', id: 3, bucket: undefined });
    expect(parseStream(streams.names('types'))).toMatchObject({ category: 'names', id: Number.NaN });
  });
});
