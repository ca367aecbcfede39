/** Tests served mappings in memory against a plain list of rows, with random changes. */
import { describe, expect, it } from 'vitest';
import { type MappingState, ServedMappings } from './served-mappings.ts';

const SOURCES = ['de', 'fr', 'it'];
const TARGETS = ['DEU', 'FRA', 'ITA', 'Ａ', '\u{1F600}', '\uFFFD'];

/** Returns a generator of reproducible random numbers (linear congruential). */
function seededRandom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const row = (mappingId: number, sourceValue: string, targetValue: string | null, confidence = 100): MappingState => ({
  mappingId,
  sourceValue,
  targetValue,
  confidence,
  approvedBy: 3,
  approvedAt: '2026-01-01T00:00:00Z',
  approvedEventId: `event-${mappingId}`,
  approvedSeq: mappingId,
});

/** Filters and sorts a plain list of rows as PostgreSQL would. */
function expected(rows: Iterable<MappingState>, value: string, from: 'sourceValue' | 'targetValue') {
  const to = from === 'sourceValue' ? 'targetValue' : 'sourceValue';
  return [...rows]
    .filter((each) => each.targetValue !== null && each[from] === value)
    .sort(
      (a, b) =>
        b.confidence - a.confidence ||
        Buffer.compare(Buffer.from(a[to] ?? ''), Buffer.from(b[to] ?? '')) ||
        a.mappingId - b.mappingId,
    )
    .map(({ sourceValue, targetValue, ...rest }) => ({
      ...rest,
      targetValue: to === 'sourceValue' ? sourceValue : targetValue,
    }));
}

const parse = (unclosedJson: string | undefined) => unclosedJson && JSON.parse(`${unclosedJson}}`);
const expectedAnswer = (value: string, results: unknown[]) => (results.length === 0 ? undefined : { value, results });

describe('served mappings in memory', () => {
  it('match a plain list of rows in both directions after random changes', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const randomBelow = seededRandom(seed);
      const served = new ServedMappings();
      const rows = new Map<number, MappingState>();
      for (let change = 0; change < 300; change++) {
        const mappingId = randomBelow(12);
        // A row never changes its source value.
        const sourceValue = rows.get(mappingId)?.sourceValue ?? (SOURCES[randomBelow(SOURCES.length)] as string);
        const targetValue = randomBelow(4) === 0 ? null : (TARGETS[randomBelow(TARGETS.length)] as string);
        const changedRow = row(mappingId, sourceValue, targetValue, [100, 80, 60][randomBelow(3)]);
        rows.set(mappingId, changedRow);
        served.put(changedRow);
        if (change % 7 !== 0) continue;
        for (const value of SOURCES) {
          expect(parse(served.targetsOf(value))).toEqual(
            expectedAnswer(value, expected(rows.values(), value, 'sourceValue')),
          );
        }
        // Translate in reverse only after some changes, so that the index by target is built from existing mappings.
        if (change < 100) continue;
        for (const value of TARGETS) {
          expect(parse(served.sourcesOf(value))).toEqual(
            expectedAnswer(value, expected(rows.values(), value, 'targetValue')),
          );
        }
      }
    }
  });
  it('report the memory that they use', () => {
    const served = new ServedMappings();
    served.put(row(1, 'de', 'DEU'));
    const bytesOfOne = served.bytes;
    served.put(row(1, 'de', 'DEU'));
    expect(served.bytes).toBe(bytesOfOne);
    served.put(row(2, 'fr', 'FRA'));
    expect(served.bytes).toBeGreaterThan(bytesOfOne);
    served.put(row(2, 'fr', null));
    served.put(row(1, 'de', null));
    expect(served.bytes).toBeLessThan(bytesOfOne);
    expect(served.targetsOf('de')).toBeUndefined();
  });
});
