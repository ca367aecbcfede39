import { expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

it('a bounded map keeps recently used entries, and fewer entries than twice its limit', () => {
  const map = new BoundedMap<number>(10);
  map.set('used', -1);
  for (let number = 0; number < 100; number += 1) {
    map.set(String(number), number);
    expect(map.get('used')).toBe(-1);
  }
  const kept = Array.from({ length: 100 }, (_, number) => map.get(String(number))).filter(
    (value) => value !== undefined,
  );
  expect(kept.length).toBeLessThan(20);
  expect(map.get('99')).toBe(99);
});

it('a bounded map limits the total weight of its entries, including weight that is added later', () => {
  const map = new BoundedMap<number>(10, (value) => value % 9);
  map.set('used', 8);
  for (let number = 0; number < 20; number += 1) {
    map.set(String(number), 8);
    expect(map.get('used')).toBe(8);
  }
  const kept = Array.from({ length: 20 }, (_, number) => map.get(String(number))).filter(
    (value) => value !== undefined,
  );
  expect(kept.length).toBeLessThanOrEqual(2);
  map.set('grown', 0);
  map.addWeight(10);
  map.addWeight(10);
  expect(map.get('grown')).toBeUndefined();
});
