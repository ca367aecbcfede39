/** Tests that batches contain every event once, in order and within limits. */
import { isMark, type LoggedEvent, type LogMark } from '@rdm/platform';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inBatches } from './batches.ts';

const event = (number: number, rows: number): LoggedEvent =>
  ({ revision: number, data: { rows: Array.from({ length: rows }, (_, id) => ({ id })) } }) as LoggedEvent;
const decision = (number: number, rows: number): LoggedEvent =>
  ({ revision: number, data: { ids: Array.from({ length: rows }, (_, id) => id) } }) as LoggedEvent;

const limits = { events: 10, bytes: 1e9, rows: 50 };

async function* logOf(events: readonly (LoggedEvent | LogMark)[], delivered: { count: number } = { count: 0 }) {
  for (const each of events) {
    delivered.count += 1;
    yield each;
  }
}

describe('batches', () => {
  it('contain every event once, in order and within limits', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 80 }), { maxLength: 100 }), async (sizes) => {
        const events = sizes.map((rows, number) => event(number, rows));
        const batches: LoggedEvent[][] = [];
        for await (const batch of inBatches(() => logOf(events), new AbortController().signal, { limits }))
          batches.push(batch.events);
        expect(batches.flat()).toEqual(events);
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(limits.events);
          const rows = batch.reduce((sum, { data }) => sum + (data as { rows: object[] }).rows.length, 0);
          if (batch.length > 1) expect(rows).toBeLessThanOrEqual(limits.rows);
        }
      }),
    );
  });

  it('contain fewer decided rows than new rows', async () => {
    const longestBatch = async (events: LoggedEvent[]) => {
      let most = 0;
      for await (const batch of inBatches(() => logOf(events), new AbortController().signal, { limits })) {
        most = Math.max(most, batch.events.length);
        // Lets events arrive for the next batch.
        await new Promise(setImmediate);
      }
      return most;
    };
    const numbers = Array.from({ length: 20 }, (_, number) => number);
    expect(await longestBatch(numbers.map((number) => event(number, 5)))).toBe(limits.events);
    expect(await longestBatch(numbers.map((number) => decision(number, 5)))).toBe(2);
  });

  it('are read at most one batch ahead', async () => {
    const delivered = { count: 0 };
    const source = inBatches(
      () =>
        logOf(
          Array.from({ length: 1_000 }, (_, number) => event(number, 1)),
          delivered,
        ),
      new AbortController().signal,
      { limits },
    );
    await source.next();
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
    expect(delivered.count).toBeLessThanOrEqual(2 * limits.events);
    await source.return(undefined);
  });

  it('throw the error of the subscription after the events before the error', async () => {
    async function* brokenSubscription() {
      yield event(1, 1);
      throw new Error('gone');
    }
    const readEvents: LoggedEvent[] = [];
    await expect(async () => {
      for await (const batch of inBatches(brokenSubscription, new AbortController().signal))
        readEvents.push(...batch.events);
    }).rejects.toThrow('gone');
    expect(readEvents).toHaveLength(1);
  });

  it('report a position or the end of the log only after all earlier events', async () => {
    const item = fc.oneof(
      fc.nat({ max: 80 }).map((rows) => ({ rows })),
      fc.constantFrom({ isCaughtUp: true as const }, { deliveredUpTo: true as const }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 100 }), async (generated) => {
        const items = generated.map((each, number): LoggedEvent | LogMark => {
          if ('rows' in each) return event(number, each.rows);
          return 'deliveredUpTo' in each
            ? { deliveredUpTo: { commit: BigInt(number), prepare: BigInt(number) } }
            : each;
        });
        let eventCount = 0;
        /** The number of events before the last reported end of the log. */
        let caughtUp = -1;
        for await (const batch of inBatches(() => logOf(items), new AbortController().signal, { limits })) {
          eventCount += batch.events.length;
          const eventsBefore = (number: number) => items.slice(0, number).filter((each) => !isMark(each)).length;
          if (batch.deliveredUpTo) expect(eventsBefore(Number(batch.deliveredUpTo.commit))).toBe(eventCount);
          if (batch.isCaughtUp) caughtUp = eventCount;
        }
        const last = items.findLastIndex((each) => 'isCaughtUp' in each);
        if (last >= 0)
          expect(caughtUp).toBeGreaterThanOrEqual(items.slice(0, last).filter((each) => !isMark(each)).length);
      }),
    );
  });

  it('report the end of an empty log', async () => {
    const source = inBatches(() => logOf([{ isCaughtUp: true }]), new AbortController().signal);
    expect((await source.next()).value).toEqual({ events: [], isCaughtUp: true });
  });

  it('end when the signal aborts while no event arrives', async () => {
    const stopping = new AbortController();
    const idleSubscription = (signal: AbortSignal) =>
      ({
        async *[Symbol.asyncIterator]() {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
        },
      }) as AsyncIterable<LoggedEvent>;
    const source = inBatches(idleSubscription, stopping.signal);
    const next = source.next();
    stopping.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
