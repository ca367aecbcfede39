/**
 * Replaces the append client while 100 appends are in flight, and reports the outcomes. The arguments are the address
 * of the store and the number of replacements.
 */
import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { AppendClient } from '@rdm/platform/event-store/append-client';

const IN_FLIGHT = 100;
/** Appends to this stream fail as after a failed discovery of the cluster. */
const UNDISCOVERED = 'undiscovered';
const options = { deadlineMs: 10_000 };

const [url = '', rounds = ''] = process.argv.slice(2);
const appends = new AppendClient(() => {
  const client = EventStoreDBClient.connectionString(url);
  const appendToStream = client.appendToStream.bind(client);
  return Object.assign(client, {
    appendToStream: (stream: string, ...rest: [never, never]) =>
      stream === UNDISCOVERED
        ? Promise.reject(new Error('Failed to discover after 10 attempts.'))
        : appendToStream(stream, ...rest),
  });
});
const streams: string[] = [];
let unknown = 0;

/** Repeats an append unchanged until it succeeds. */
async function appendUntilStored(stream: string): Promise<void> {
  const event = jsonEvent({ type: 'NameClaimed', data: { stream } });
  for (;;) {
    try {
      await appends.append(stream, [event], NO_STREAM, options);
      return;
    } catch {
      unknown += 1;
    }
  }
}

for (let round = 1; round <= Number(rounds); round += 1) {
  const inFlight = Array.from({ length: IN_FLIGHT }, () => {
    const stream = `names-${randomUUID()}`;
    streams.push(stream);
    return appendUntilStored(stream);
  });
  // In every second round, at least one append is answered before the client is replaced.
  if (round % 2 === 0) await Promise.race(inFlight);
  await appends.append(UNDISCOVERED, [], NO_STREAM, options).catch(() => undefined);
  await Promise.all(inFlight);
}
const { replacements } = appends;
await appends.close(250);

const reader = EventStoreDBClient.connectionString(url);
let lost = 0;
let doubled = 0;
for (const stream of streams) {
  let count = 0;
  for await (const _ of reader.readStream(stream)) count += 1;
  if (count === 0) lost += 1;
  if (count > 1) doubled += 1;
}
process.send?.({ replacements, appends: streams.length, unknown, lost, doubled }, () => process.exit(0));
