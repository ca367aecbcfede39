/** Specifies how suggestions are dismissed, accepted and restored. */
import { type MappingBucket, type MappingBucketEvent, mappingKey, pairKey, rowId } from '@rdm/contracts';
import { mappingsDrafted } from '@rdm/contracts/testing/events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kinds } from '../runtime/stream-kinds.ts';
import { metadataBy, type Past, specify } from '../testing/given.ts';
import { draftMappings } from './mappings.ts';
import { dismissSuggestions, restoreSuggestions } from './suggestions.ts';

const STEWARD = 1;
const COLLEAGUE = 2;
const { given } = specify(kinds.mappings, STEWARD);

const key = mappingKey('de');
const first = rowId(1, key);
const second = rowId(2, key);
const pair = (targetValue: string, sequence = 1, index = 0) => ({ index, sequence, sourceValue: 'de', targetValue });
const dismissed = (id: number, targetValue: string, by = STEWARD): Past<MappingBucketEvent> => ({
  type: 'SuggestionsDismissed',
  data: { rows: [{ id, sourceValue: 'de', targetValue }] },
  by,
});
const restored = (...ids: number[]): MappingBucketEvent => ({ type: 'SuggestionsRestored', data: { ids } });
const drafted = (id: number, targetValue: string): MappingBucketEvent =>
  mappingsDrafted({ id, sourceValue: 'de', targetValue });
const dismiss =
  (...pairs: Parameters<typeof dismissSuggestions>[1]) =>
  (state: MappingBucket) =>
    dismissSuggestions(state, pairs);
const draft = (origin: 'MANUAL' | 'SUGGESTION' | 'IMPORT') => (state: MappingBucket) =>
  draftMappings(state, [{ ...pair('DOM', 2), confidence: 90, origin }]);

describe('dismissing suggestions', () => {
  it('records the pair under an id that contains its bucket', () =>
    given()
      .when(dismiss(pair('DOM'), pair('DNK', 2, 1)))
      .then({
        type: 'SuggestionsDismissed',
        data: {
          rows: [
            { id: first, sourceValue: 'de', targetValue: 'DOM' },
            { id: second, sourceValue: 'de', targetValue: 'DNK' },
          ],
        },
      }));
  it('is refused for a pair that is already dismissed', () => {
    const again = given(dismissed(first, 'DOM')).when(dismiss(pair('DOM', 2)));
    again.thenNothing();
    expect(again.result()).toMatchObject([{ index: 0, outcome: 'refused', code: 'DISMISSED' }]);
  });
  it('dismisses a pair once if the request lists it twice', () =>
    given()
      .when(dismiss(pair('DOM'), pair('DOM', 2, 1)))
      .then({ type: 'SuggestionsDismissed', data: { rows: [{ id: first, sourceValue: 'de', targetValue: 'DOM' }] } })
      .refusing(1, 'DISMISSED'));
  it('refuses a pair that was mapped in the meantime', () => {
    const mapped = given(drafted(first, 'DOM')).when(dismiss(pair('DOM', 2)));
    mapped.thenNothing();
    expect(mapped.result()).toMatchObject([{ outcome: 'refused', code: 'DUPLICATE' }]);
  });
  it('is possible again after a restoration', () =>
    given(dismissed(first, 'DOM'), restored(first))
      .when(dismiss(pair('DOM', 2)))
      .then({ type: 'SuggestionsDismissed', data: { rows: [{ id: second, sourceValue: 'de', targetValue: 'DOM' }] } }));
});

describe('restoring dismissed suggestions', () => {
  it('restores known dismissals and refuses other ids', () =>
    given(dismissed(first, 'DOM'))
      .when((state) => restoreSuggestions(state, [first, second, first]))
      .then(restored(first))
      .refusing(second, 'NOT_DISMISSED'));
  it('does nothing for a pair that is already restored', () =>
    given(dismissed(first, 'DOM'), restored(first))
      .when((state) => restoreSuggestions(state, [first]))
      .thenNothing());
});

describe('a dismissed pair', () => {
  it('is refused as a suggestion, with the user and the time of the dismissal', () => {
    const accepted = given(dismissed(first, 'DOM', COLLEAGUE)).when(draft('SUGGESTION'));
    accepted.thenNothing();
    expect(accepted.result()).toEqual([
      {
        id: 0,
        index: 0,
        outcome: 'refused',
        code: 'DISMISSED',
        message: 'This suggestion was dismissed',
        changedBy: COLLEAGUE,
        changedAt: '2026-01-01T00:00:00.000Z',
      },
    ]);
  });
  it.each(['MANUAL', 'IMPORT'] as const)('can still be mapped with origin %s', (origin) => {
    expect(given(dismissed(first, 'DOM')).when(draft(origin)).result()).toMatchObject([{ outcome: 'done' }]);
  });
  it('can be accepted after a restoration', () => {
    expect(given(dismissed(first, 'DOM'), restored(first)).when(draft('SUGGESTION')).result()).toMatchObject([
      { outcome: 'done' },
    ]);
  });
});

describe('any sequence of dismissals, restorations and acceptances', () => {
  const targets = ['A', 'B', 'C'];
  const steps = fc.array(
    fc.record({
      verb: fc.constantFrom('dismiss', 'restore', 'accept'),
      target: fc.constantFrom(...targets),
      id: fc.nat({ max: 12 }),
    }),
    { maxLength: 25 },
  );

  it('dismisses and accepts only pairs that are neither dismissed nor mapped', () => {
    fc.assert(
      fc.property(steps, (actions) => {
        let state = kinds.mappings.initial();
        // The ids of the dismissals by target, tracked by this test independently.
        const expectedDismissals = new Map<string, number>();
        const mapped = new Set<string>();
        actions.forEach(({ verb, target, id }, step) => {
          const row = { ...pair(target, step + 1), confidence: 90, origin: 'SUGGESTION' } as const;
          const dismissalId = rowId(id, key);
          const { events, result } =
            verb === 'dismiss'
              ? dismissSuggestions(state, [row])
              : verb === 'restore'
                ? restoreSuggestions(state, [dismissalId])
                : draftMappings(state, [row]);
          const isDone = result[0]?.outcome === 'done';
          if (verb === 'dismiss') {
            expect(isDone).toBe(!expectedDismissals.has(target) && !mapped.has(target));
            if (isDone) expectedDismissals.set(target, rowId(step + 1, key));
          } else if (verb === 'restore') {
            const dismissal = [...expectedDismissals].find(([, expectedId]) => expectedId === dismissalId);
            expect(isDone).toBe(dismissal !== undefined);
            if (dismissal) expectedDismissals.delete(dismissal[0]);
          } else {
            expect(isDone).toBe(!expectedDismissals.has(target) && !mapped.has(target));
            if (isDone) mapped.add(target);
          }
          for (const event of events) {
            state = kinds.mappings.evolve(state, { ...event, metadata: metadataBy(STEWARD) } as never);
          }
        });
        const actual = [...state.dismissalIdByPair].map(([name, id]) => [name, id]);
        expect(actual).toEqual(
          [...expectedDismissals].map(([targetValue, id]) => [pairKey({ sourceValue: 'de', targetValue }), id]),
        );
        expect([...state.dismissedPairById.keys()].sort()).toEqual([...expectedDismissals.values()].sort());
      }),
    );
  });
});
