/** Specifies that mapped values are normalised, in requests and in old events. */
import { describe, expect, it } from 'vitest';
import { upcast } from '../registry.ts';
import { DraftMappings, MAPPED_CHARACTERS_MAX } from './mappings.ts';
import { emptyMissingMappings, evolveMissingMappings } from './missing-mappings.ts';

const COMPOSED = 'caf\u00e9';
const DECOMPOSED = 'cafe\u0301';

describe('a mapped value', () => {
  it('is normalised in a request, and its length is that of the normalised form', () => {
    expect(DraftMappings.parse({ sourceValue: DECOMPOSED, targetValue: DECOMPOSED }).rows).toMatchObject([
      { sourceValue: COMPOSED, targetValue: COMPOSED },
    ]);
    const long = 'e\u0301'.repeat(MAPPED_CHARACTERS_MAX);
    expect(DraftMappings.safeParse({ sourceValue: long, targetValue: 'x' }).success).toBe(true);
    expect(DraftMappings.safeParse({ sourceValue: `${long}x`, targetValue: 'x' }).success).toBe(false);
  });

  it('is normalised at every depth of an old event, and other data stay unchanged', () => {
    const drafted = (text: string) => ({
      rows: [{ id: 64, sourceValue: text, targetValue: text, confidence: 100, origin: 'MANUAL' }],
    });
    expect(upcast('MappingsDrafted', 1, drafted(DECOMPOSED))).toEqual(drafted(COMPOSED));
    const undoneData = (text: string) => ({
      undoes: '0b2f7c1e-6a53-5d0e-9a3d-2f4d1c7a9e10',
      rows: [
        { id: 64, to: { value: { targetValue: text, confidence: 1 }, served: { targetValue: text, confidence: 1 } } },
      ],
      comment: DECOMPOSED,
    });
    expect(upcast('MappingsUndone', 1, undoneData(DECOMPOSED))).toEqual(undoneData(COMPOSED));
  });

  it('that is already normalised leaves an old event unchanged', () => {
    const data = { rows: [{ id: 64, targetValue: COMPOSED, confidence: 100 }] };
    expect(upcast('MappingsEdited', 1, data)).toBe(data);
  });
});

describe('missing mappings', () => {
  it('merge two Unicode forms of one value, and both ids stay valid', () => {
    const requests = [
      { id: 1, sourceValue: COMPOSED },
      { id: 2, sourceValue: DECOMPOSED },
    ];
    const data = upcast('MissingMappingRequested', 1, { requests }) as { requests: typeof requests };
    const { ids, allIds } = evolveMissingMappings(emptyMissingMappings(), { type: 'MissingMappingRequested', data });
    expect([...ids]).toEqual([[COMPOSED, 1]]);
    expect([...allIds]).toEqual([1, 2]);
  });
});
