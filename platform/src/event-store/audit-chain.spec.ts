/** Specifies the hash chain of the audit log: every difference between stored events changes the hash. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, digestOf, GENESIS, linkTo } from './audit-chain.ts';

const withReversedKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withReversedKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, each]) => [key, withReversedKeys(each)]),
  );
};

const event = {
  seq: 1,
  stream: 'dataSet-1',
  revision: 0,
  id: 'a',
  type: 'DataSetPublished',
  metadata: { b: 1, a: [1, null] },
  data: {},
};

describe('canonical JSON', () => {
  it('is equal for equal values, regardless of key order', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(withReversedKeys(value))).toBe(text);
      }),
    );
  });

  it('has sorted keys, and omits the values that JSON omits', () => {
    expect(canonicalJson({ b: undefined, c: [1, { z: 1, y: 2 }], a: 'x' })).toBe('{"a":"x","c":[1,{"y":2,"z":1}]}');
  });
});

describe('the chain', () => {
  it('changes with every part of an event, and with the previous event', () => {
    const changed = [
      { ...event, seq: 2 },
      { ...event, stream: 'dataSet-2' },
      { ...event, revision: 1 },
      { ...event, id: 'b' },
      { ...event, type: 'DataSetUnpublished' },
      { ...event, metadata: { ...event.metadata, b: 2 } },
      { ...event, data: { x: 1 } },
    ];
    expect(new Set([event, ...changed].map(digestOf)).size).toBe(8);
    expect(linkTo(GENESIS, digestOf(event))).not.toBe(linkTo(digestOf(event), digestOf(event)));
  });

  it('hashes the stored data of an event, not the data after upcasting', () => {
    expect(digestOf({ ...event, data: { new: 'shape' }, stored: event.data })).toBe(digestOf(event));
  });

  it('hashes an event as the SHA-256 of canonical JSON, so that anyone can compute the hash', () => {
    // printf '%s' '[1,"dataSet-1",0,"a","DataSetPublished",{"a":[1,null],"b":1},{}]' | sha256sum
    expect(digestOf(event)).toBe('0d3655ec7efca51fb3d4196855c7e00eb9b6f56e19b11d8d6b890860abd5272a');
  });
});
