/** Specifies legal holds: what they cover, and that a hold and a purge of the same data never both begin. */
import { ACCESS_STREAM, type AccessEvent, type AccessState, type HoldScope, type RecordedEvent } from '@rdm/contracts';
import { collectionCreated } from '@rdm/contracts/testing/events';
import { type EventStore, type NewEvent, WrongRevision } from '@rdm/platform';
import { describe, expect, it } from 'vitest';
import { kinds } from '../runtime/stream-kinds.ts';
import { Streams } from '../runtime/streams.ts';
import { specify } from '../testing/given.ts';
import { endPurge, placeHold, releaseHold, requireNoHoldOnUser, startPurge } from './legal-holds.ts';

const access = specify(kinds.access);

const USER = 4;
const world: AccessEvent[] = [
  { type: 'UserRegistered', data: { userId: USER, roleId: 2 } },
  collectionCreated({ collectionId: 3 }),
  { type: 'CollectionItemsAdded', data: { collectionId: 3, dataSetIds: [10] } },
];
const hold = (scope: HoldScope, holdId = 1): Extract<AccessEvent, { type: 'LegalHoldPlaced' }> => ({
  type: 'LegalHoldPlaced',
  data: { holdId, scope, matter: 'Case 17', reason: 'Requested by the legal department' },
});
const released = (holdId: number): Extract<AccessEvent, { type: 'LegalHoldReleased' }> => ({
  type: 'LegalHoldReleased',
  data: { holdId, reason: 'closed' },
});
const started = {
  type: 'PurgeStarted',
  data: { purgeId: 7, dataSetIds: [10], crosswalkIds: [20], relationshipIds: [], userIds: [USER] },
} as const satisfies AccessEvent;
const ended: AccessEvent = { type: 'PurgeEnded', data: { purgeId: 7 } };

const place = (scope: HoldScope) => (state: AccessState) => placeHold(state, hold(scope).data);
const start = (state: AccessState) => startPurge(state, { ...started.data });

const COVERING: [string, HoldScope][] = [
  ['a data set', { kind: 'dataSet', id: 10 }],
  ['a collection', { kind: 'collection', id: 3 }],
  ['a user who acted on the purged data', { kind: 'user', id: USER }],
  ['everything', { kind: 'all' }],
];

describe('a hold', () => {
  it('is placed and released once', () => {
    access
      .given(...world)
      .when(place({ kind: 'all' }))
      .then(hold({ kind: 'all' }));
    access
      .given(...world, hold({ kind: 'all' }))
      .when(place({ kind: 'all' }))
      .thenNothing();
    const release = (state: AccessState) => releaseHold(state, released(1).data);
    access
      .given(...world, hold({ kind: 'all' }))
      .when(release)
      .then(released(1));
    access
      .given(...world, hold({ kind: 'all' }), released(1))
      .when(release)
      .thenRefused('NOT_FOUND');
  });
  it('is refused for an unknown user or collection', () => {
    access
      .given(...world)
      .when(place({ kind: 'user', id: 99 }))
      .thenRefused('NOT_FOUND');
    access
      .given(...world)
      .when(place({ kind: 'collection', id: 99 }))
      .thenRefused('NOT_FOUND');
  });
  it.each(COVERING)('on %s prevents the purge, and is refused while the purge runs', (_, scope) => {
    access
      .given(...world, hold(scope))
      .when(start)
      .thenRefused('LEGAL_HOLD');
    access
      .given(...world, started)
      .when(place(scope))
      .thenRefused('PURGE_RUNNING');
    access
      .given(...world, started, ended)
      .when(place(scope))
      .then(hold(scope));
  });
  it('on a deleted collection covers the data sets of the collection', () =>
    access
      .given(...world, { type: 'CollectionDeleted', data: { collectionId: 3 } }, hold({ kind: 'collection', id: 3 }))
      .when(start)
      .thenRefused('LEGAL_HOLD'));
  it('on other data does not prevent the purge, and is allowed while the purge runs', () => {
    access
      .given(...world, hold({ kind: 'dataSet', id: 11 }))
      .when(start)
      .then(started);
    access
      .given(...world, started)
      .when(place({ kind: 'dataSet', id: 11 }))
      .then(hold({ kind: 'dataSet', id: 11 }));
  });
  it('stays in force when another hold on the same data is released', () =>
    access
      .given(...world, hold({ kind: 'dataSet', id: 10 }, 1), hold({ kind: 'dataSet', id: 10 }, 2), released(1))
      .when(start)
      .thenRefused('LEGAL_HOLD'));
  it('on a user or on everything prevents the erasure of the user', () => {
    const erase = (userId: number) => (state: AccessState) => {
      requireNoHoldOnUser(state, userId);
      return { events: [], result: undefined };
    };
    access
      .given(...world, hold({ kind: 'user', id: USER }))
      .when(erase(USER))
      .thenRefused('LEGAL_HOLD');
    access
      .given(...world, hold({ kind: 'all' }))
      .when(erase(USER))
      .thenRefused('LEGAL_HOLD');
    access
      .given(...world, hold({ kind: 'user', id: USER }))
      .when(erase(5))
      .thenNothing();
    access
      .given(...world, hold({ kind: 'collection', id: 3 }))
      .when(erase(USER))
      .thenNothing();
  });
});

describe('a purge', () => {
  it('starts once, and only if no other purge runs', () => {
    access
      .given(...world)
      .when(start)
      .then(started);
    access
      .given(...world, started)
      .when(start)
      .thenNothing();
    access
      .given(...world, started)
      .when((state: AccessState) => startPurge(state, { ...started.data, purgeId: 8 }))
      .thenRefused('PURGE_RUNNING');
  });
  it('ends once', () => {
    const endStartedPurge = (state: AccessState) => endPurge(state, 7);
    access
      .given(...world, started)
      .when(endStartedPurge)
      .then(ended);
    access
      .given(...world, started, ended)
      .when(endStartedPurge)
      .thenNothing();
  });
});

/** A store whose reads and appends wait a random number of event-loop turns, so that two changes interleave. */
function slowStore(): EventStore & { types: () => string[] } {
  const events: RecordedEvent[] = [];
  const waitSomeTurns = async () => {
    for (let turns = Math.floor(Math.random() * 4); turns > 0; turns -= 1) await new Promise(setImmediate);
  };
  return {
    types: () => events.map(({ type }) => type),
    async *read(_stream: string, from = 0) {
      await waitSomeTurns();
      yield* events.slice(from);
    },
    async append(stream: string, added: readonly NewEvent[], expected: number | 'NO_STREAM') {
      await waitSomeTurns();
      if ((expected === 'NO_STREAM' ? -1 : expected) !== events.length - 1) throw new WrongRevision(stream);
      for (const event of added) {
        events.push({ ...event, stream, revision: events.length, position: BigInt(events.length) } as RecordedEvent);
      }
      return { revision: events.length - 1, position: BigInt(events.length) };
    },
  } as unknown as EventStore & { types: () => string[] };
}

const stampOf = (name: string) => ({
  eventId: (index: number) => `${name} ${index}`,
  metadata: {
    ...{ $correlationId: name, $causationId: name, actorId: 1, requestId: name, dataSetIds: [] },
    sourceType: 'UI' as const,
  },
  now: () => new Date(),
  beforeAppend: async () => undefined,
  previousExpected: undefined,
  previousDecision: undefined,
});

it('never lets a hold and a purge of the same data both begin', async () => {
  const winners = new Set<string>();
  for (let round = 0; round < 200; round += 1) {
    const store = slowStore();
    const change = (name: string, decide: (state: AccessState) => ReturnType<typeof startPurge>) =>
      // Each change has its own cache, as in two processes.
      new Streams(store).change(kinds.access, ACCESS_STREAM, stampOf(name), decide).then(
        () => 'done',
        (error) => (error as { code?: string }).code,
      );
    await change('world', () => ({ events: world, result: undefined }));
    const [holdResult, purgeResult] = await Promise.all([
      change('hold', place({ kind: 'dataSet', id: 10 })),
      change('purge', start),
    ]);
    expect([holdResult, purgeResult]).toSatisfy(
      ([first, second]) =>
        (first === 'done' && second === 'LEGAL_HOLD') || (first === 'PURGE_RUNNING' && second === 'done'),
    );
    const begun = store.types().filter((type) => type === 'LegalHoldPlaced' || type === 'PurgeStarted');
    expect(begun).toHaveLength(1);
    winners.add(begun[0] as string);
  }
  // The hold began in some rounds, the purge in others.
  expect(winners.size).toBe(2);
});
