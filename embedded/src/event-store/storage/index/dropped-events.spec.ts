import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bitmap, DroppedEvents } from './dropped-events.ts';

describe('DroppedEvents', () => {
  it('converts the former number of each remaining event to its current number, and back', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 200 }), (events) => {
        const bitmap = new Bitmap();
        for (const [number, isDropped] of events.entries()) if (isDropped) bitmap.add(number);
        const dropped = new DroppedEvents(bitmap, events.length);
        const kept = [...events.keys()].filter((number) => !events[number]);
        expect([...events.keys()].filter((number) => dropped.has(number))).toEqual(
          [...events.keys()].filter((number) => events[number]),
        );
        expect(kept.map((number) => dropped.remainingBefore(number))).toEqual([...kept.keys()]);
        expect([...kept.keys()].map((number) => dropped.formerNumber(number))).toEqual(kept);
        expect(dropped.remainingBefore(events.length)).toBe(kept.length);
        expect(dropped.formerNumber(kept.length)).toBe(events.length);
      }),
    );
  });
});
