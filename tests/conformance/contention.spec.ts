/** Tests many writers that expect the same revision: only one of them succeeds, and the stream has no gap. */
import { NO_STREAM } from '@eventstore/db-client';
import { afterAll, expect, it } from 'vitest';
import { collect, connect, event, newStream, useStore } from './target.ts';

const store = useStore();
const WRITERS = 64;
const ROUNDS = process.env['FAULTS'] === 'long' ? 25 : 8;
/** Several connections, so that the order of requests in one client does not determine which writer succeeds. */
const clients: ReturnType<typeof connect>[] = [];
afterAll(() => Promise.all(clients.map((client) => client.dispose())));

it(`the store accepts one of ${WRITERS} writers for each revision`, async () => {
  clients.push(...Array.from({ length: 8 }, () => connect(store.url)));
  const stream = newStream();
  const winners: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const outcomes = await Promise.allSettled(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const client = clients[writer % clients.length] ?? store.client;
        const expectedRevision = round === 0 ? NO_STREAM : BigInt(round - 1);
        const options = writer % 4 === 3 ? { credentials: { username: 'admin', password: 'changeit' } } : {};
        await client.appendToStream(stream, event({ round, writer }), { ...options, expectedRevision });
        return writer;
      }),
    );
    const won = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.type] : []));
    expect(won).toHaveLength(1);
    expect(lost).toEqual(Array(WRITERS - 1).fill('wrong-expected-version'));
    winners.push(...won);
  }
  const storedEvents = await collect(store.client.readStream(stream));
  expect(storedEvents.map(({ event: recordedEvent }) => recordedEvent?.data)).toEqual(
    winners.map((writer, round) => ({ round, writer })),
  );
  expect(storedEvents.map(({ event: recordedEvent }) => recordedEvent?.revision)).toEqual(
    winners.map((_, round) => BigInt(round)),
  );
});
