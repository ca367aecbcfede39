/** Specifies purges: who confirms a purge, which purges can be cancelled, and which reports change the state. */
import type { Purge, PurgeEvent, RegisteredPurges } from '@rdm/contracts';
import { describe, it } from 'vitest';
import { kinds } from '../../runtime/stream-kinds.ts';
import { specify } from '../../testing/given.ts';
import {
  cancelPurge,
  confirmPurge,
  declinePurge,
  type PurgeOutcome,
  reclaimPurge,
  recordPurge,
  registerPurge,
  requestPurge,
  resumePurge,
} from './decider.ts';

const ADMIN = 1;
const OLGA = 2;
/** `specify` gives past events this time. */
const REQUESTED_AT = Date.parse('2026-01-01T00:00:00.000Z');
const HOUR_MS = 3_600_000;

const purges = specify(kinds.purge, ADMIN);

type DataOf<Type extends PurgeEvent['type']> = Extract<PurgeEvent, { type: Type }>['data'];
const request: DataOf<'PurgeRequested'> = {
  ...{ purgeId: 7, kind: 'dataSets', scope: { collectionId: null }, before: '2026-01-01T00:00:00.000Z' },
  ...{ reason: 'Retention rule R7', planHash: 'aa', counts: { items: 3 } },
};
const requested: PurgeEvent = { type: 'PurgeRequested', data: request };
const confirmed: PurgeEvent & { by: number } = { type: 'PurgeConfirmed', data: { purgeId: 7 }, by: OLGA };
const purged = { seq: 4, digest: '0'.repeat(64), type: 'DataSetCreated', actorId: 1, at: '2026-01-01T00:00:00.000Z' };
const part = (number: number, events = [purged]) =>
  ({
    type: 'PurgeManifestPart',
    data: { purgeId: 7, part: number, streams: [], events },
  }) as const satisfies PurgeEvent;
const sealed = {
  type: 'PurgeManifestSealed',
  data: { purgeId: 7, parts: 1, streams: 0, events: 1, root: 'aa', keyId: 'k', signature: 's' },
} as const satisfies PurgeEvent;
const reclaiming = { type: 'PurgeReclaiming', data: { purgeId: 7, command: 'scavenge' } } as const satisfies PurgeEvent;
const failed = {
  type: 'PurgeFailed',
  data: { purgeId: 7, step: 'MANIFEST', problem: 'no key' },
} as const satisfies PurgeEvent;
const resumed: PurgeEvent = { type: 'PurgeResumed', data: { purgeId: 7 } };
const completed = {
  type: 'PurgeCompleted',
  data: {
    ...{ purgeId: 7, bytes: 10, leftovers: [], kind: 'dataSets', counts: { items: 3 } },
    ...{ reason: 'Retention rule R7', confirmedBy: OLGA },
  },
} as const satisfies PurgeEvent;
const cancelled: PurgeEvent = { type: 'PurgeCancelled', data: { purgeId: 7 } };
const declined: PurgeEvent = { type: 'PurgeDeclined', data: { purgeId: 7, reason: 'needed' } };

type State = Purge | undefined;

describe('a purge', () => {
  it('is requested once', () => {
    const decide = (state: State) => requestPurge(state, request);
    purges.given().when(decide).then(requested);
    purges.given(requested).when(decide).thenNothing();
    purges.given(requested, cancelled).when(decide).thenNothing();
  });
  it('is not requested again with another reason', () =>
    purges
      .given(requested)
      .when((state: State) => requestPurge(state, { ...request, reason: 'other' }))
      .thenRefused('CONFLICT'));
});

describe('a confirmation', () => {
  const confirm =
    (actorId: number, { others = [OLGA], hours = 0 }: { others?: number[]; hours?: number } = {}) =>
    (state: State) =>
      confirmPurge(state, {
        actorId,
        administrators: [ADMIN, ...others],
        now: new Date(REQUESTED_AT + hours * HOUR_MS),
      });
  const { by: _, ...confirmation } = confirmed;

  it('must come from a second administrator if there is one', () => {
    purges.given(requested).when(confirm(OLGA)).then(confirmation);
    purges.given(requested).when(confirm(ADMIN)).thenRefused('SAME_ADMINISTRATOR');
    purges
      .given(requested)
      .when(confirm(ADMIN, { hours: 48 }))
      .thenRefused('SAME_ADMINISTRATOR');
  });
  it('of the only administrator is accepted a day after the request', () => {
    purges
      .given(requested)
      .when(confirm(ADMIN, { others: [], hours: 23 }))
      .thenRefused('SAME_ADMINISTRATOR');
    purges
      .given(requested)
      .when(confirm(ADMIN, { others: [], hours: 24 }))
      .then(confirmation);
  });
  it('is refused if the request does not wait for a confirmation', () => {
    purges.given().when(confirm(OLGA)).thenRefused('NOT_FOUND');
    purges.given(requested, confirmed).when(confirm(OLGA)).thenRefused('CONFLICT');
    purges.given(requested, declined).when(confirm(OLGA)).thenRefused('CONFLICT');
    purges.given(requested, cancelled).when(confirm(OLGA)).thenRefused('CONFLICT');
  });
});

describe('a request', () => {
  const decline = (state: State) => declinePurge(state, 'needed');
  it('is declined only while it waits for a confirmation', () => {
    purges.given(requested).when(decline).then(declined);
    purges.given(requested, confirmed).when(decline).thenRefused('CONFLICT');
    purges.given().when(decline).thenRefused('NOT_FOUND');
  });
  it('can be cancelled until the manifest is sealed', () => {
    purges.given(requested).when(cancelPurge).then(cancelled);
    purges.given(requested, confirmed, part(0)).when(cancelPurge).then(cancelled);
    purges.given(requested, confirmed, failed).when(cancelPurge).then(cancelled);
    purges.given(requested, cancelled).when(cancelPurge).thenNothing();
    purges.given(requested, confirmed, part(0), sealed).when(cancelPurge).thenRefused('CONFLICT');
    purges.given(requested, confirmed, part(0), sealed, failed).when(cancelPurge).thenRefused('CONFLICT');
    purges.given(requested, declined).when(cancelPurge).thenRefused('CONFLICT');
  });
});

describe('a purge that failed', () => {
  it('can be resumed', () => {
    purges.given(requested, confirmed, failed).when(resumePurge).then(resumed);
    purges.given(requested, confirmed).when(resumePurge).thenRefused('CONFLICT');
  });
  it('records no part of its manifest until the purge is resumed', () => {
    const record = (state: State) => recordPurge(state, part(0));
    purges.given(requested, confirmed, failed).when(record).thenNothing();
    purges.given(requested, confirmed, failed, resumed).when(record).then(part(0));
  });
});

describe('the disk space of a purge', () => {
  it('is checked again only while the purge waits for a scavenge', () => {
    purges.given(requested, confirmed, part(0), sealed, reclaiming).when(reclaimPurge).then(resumed);
    purges.given(requested, confirmed, part(0), sealed).when(reclaimPurge).thenRefused('CONFLICT');
  });
});

describe('recordPurge', () => {
  const record = (outcome: PurgeOutcome) => (state: State) => recordPurge(state, outcome);
  it('records each part once, in the order of the parts', () => {
    purges
      .given(requested, confirmed)
      .when(record(part(0)))
      .then(part(0));
    purges
      .given(requested, confirmed, part(0))
      .when(record(part(0)))
      .thenNothing();
    purges
      .given(requested, confirmed, part(0))
      .when(record(part(1)))
      .then(part(1));
    purges
      .given(requested, confirmed)
      .when(record(part(1)))
      .thenRefused('CONFLICT');
  });
  it('records the seal once, and refuses a seal whose counts differ from the recorded parts', () => {
    purges.given(requested, confirmed, part(0)).when(record(sealed)).then(sealed);
    purges.given(requested, confirmed, part(0), sealed).when(record(sealed)).thenNothing();
    purges
      .given(requested, confirmed, part(0), sealed)
      .when(record(part(1)))
      .thenNothing();
    purges.given(requested, confirmed).when(record(sealed)).thenRefused('CONFLICT');
    purges.given(requested, confirmed, part(0), part(1)).when(record(sealed)).thenRefused('CONFLICT');
  });
  it('records the same outcome once', () => {
    purges.given(requested, confirmed, part(0), sealed).when(record(completed)).then(completed);
    purges.given(requested, confirmed, part(0), sealed, completed).when(record(completed)).thenNothing();
    purges.given(requested, confirmed, part(0), sealed).when(record(reclaiming)).then(reclaiming);
    purges.given(requested, confirmed, part(0), sealed, reclaiming).when(record(reclaiming)).thenNothing();
    purges.given(requested, confirmed).when(record(failed)).then(failed);
    purges.given(requested, confirmed, failed).when(record(failed)).thenNothing();
  });
  it('refuses reports about cancelled or unknown purges, and ignores reports about unconfirmed purges', () => {
    purges.given(requested, confirmed, cancelled).when(record(sealed)).thenRefused('CONFLICT');
    purges
      .given(requested)
      .when(record(part(0)))
      .thenNothing();
    purges
      .given()
      .when(record(part(0)))
      .thenRefused('NOT_FOUND');
  });
});

describe('the register of purges', () => {
  const data = { purgeId: 7, events: 1, firstSeq: 4, lastSeq: 4 };
  const registered: PurgeEvent = { type: 'PurgeRegistered', data };
  const register = specify(kinds.registeredPurges);
  const decide = (state: RegisteredPurges) => registerPurge(state, data);
  it('contains a purge once', () => {
    register.given().when(decide).then(registered);
    register.given(registered).when(decide).thenNothing();
  });
});
