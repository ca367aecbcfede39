/** Tests the instants of batches: a later seq never has an earlier instant. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NumberedEvent } from './numbered-event.ts';
import { instantsOf } from './reader.ts';

const eventAt = (seq: number, occurredAt: string) => ({ seq, metadata: { occurredAt } }) as NumberedEvent;

describe('the instants of a batch', () => {
  it('have the last seq of each instant, and do not decrease after a clock was set back', () => {
    const events = [
      eventAt(5, '2026-01-01T00:00:02.000Z'),
      eventAt(6, '2026-01-01T00:00:02.000Z'),
      eventAt(7, '2026-01-01T00:00:01.000Z'),
      eventAt(8, '2026-01-01T00:00:03.000Z'),
    ];
    expect(instantsOf('2026-01-01T00:00:01.500Z', events)).toEqual([
      { seq: 7, at: '2026-01-01T00:00:02.000Z' },
      { seq: 8, at: '2026-01-01T00:00:03.000Z' },
    ]);
  });

  it('increase with the seq, and end with the last event of the batch', () => {
    const occurred = fc.oneof(
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
      fc.constant('yesterday'),
    );
    fc.assert(
      fc.property(fc.array(occurred, { minLength: 1 }), (times) => {
        const events = times.map((time, index) => eventAt(index + 1, time));
        const instants = instantsOf('2000-01-01T00:00:00.000Z', events);
        expect(instants.at(-1)?.seq).toBe(events.length);
        for (const [index, instant] of instants.slice(1).entries()) {
          expect(instant.seq).toBeGreaterThan(instants[index]?.seq ?? 0);
          expect(instant.at > (instants[index]?.at ?? '')).toBe(true);
        }
      }),
    );
  });
});
