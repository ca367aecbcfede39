/** Sends changes and notifications, in the order of seq, to the clients that may receive them. */
import { setImmediate as immediate } from 'node:timers/promises';
import type { LiveChange, SinceAnswer } from '@rdm/contracts';
import type { Metrics } from '@rdm/platform';
import type { QueryContext } from '../query-context.ts';
import { coalesceChanges } from './coalesce-changes.ts';
import { type GovernedChange, type LiveChanges, openLiveChanges } from './live-changes.ts';
import { emitToAllowed, type LiveServer, type LiveSocket, socketsOf } from './live-server.ts';
import { canReceive, type NotificationRecipient, readRecipients } from './notification-recipients.ts';
import { mayReceiveChange, mayRevokeAccess, roomsOf } from './rooms.ts';

/** The number of changes that are read and sent at a time. */
const BATCH = 500;
/** If more changes than this follow the client's seq, the client reloads its lists. */
const SINCE_MAX = 1_000;

export interface ChangeSender {
  /** The seq up to which changes have been sent. */
  seq(): number;
  /** Sends all changes after the last sent one. */
  sendNew(): void;
  /** Returns the changes that the client may receive and whose seq is greater than `after`. */
  since(socket: LiveSocket, after: unknown): Promise<SinceAnswer>;
  /** Resolves when the current sending has ended. */
  idle(): Promise<void>;
}

interface SenderOptions extends Pick<QueryContext, 'readModels' | 'pool' | 'access' | 'log'> {
  io: LiveServer;
  sentMessages: ReturnType<Metrics['counter']>;
  /** Called after each batch of changes. */
  batchSent: () => void;
}

/** Opens a sender that starts after the last stored change. */
export async function openChangeSender(options: SenderOptions): Promise<ChangeSender> {
  const { io, readModels, pool, access, log, sentMessages, batchSent } = options;
  const changes = openLiveChanges(pool, readModels);
  let seq = await changes.head();

  function sendChange({ change, dataSets }: GovernedChange): void {
    const state = access.snapshot();
    const allowed = new Map<number, boolean>();
    const isAllowed = (socket: LiveSocket) => {
      const { userId } = socket.data.principal;
      const isUserAllowed = allowed.get(userId) ?? mayReceiveChange(state, userId, change, dataSets);
      allowed.set(userId, isUserAllowed);
      return isUserAllowed;
    };
    emitToAllowed(io, roomsOf(change, state), isAllowed, (to) => to.emit('change', change satisfies LiveChange));
    sentMessages.inc({ kind: 'change' });
  }

  /** Reads the recipients of the notifications of a batch. Returns none on an error: the changes are sent anyway. */
  async function recipientsOf(batch: readonly GovernedChange[]): Promise<NotificationRecipient[]> {
    if (socketsOf(io).size === 0) return [];
    return readRecipients(readModels, batch).catch((error: unknown) => {
      log.warn({ err: error }, 'Notifications could not be read: no client is notified');
      return [];
    });
  }

  /** Sends `notified` to the clients of the recipients; the pages then load the notifications. */
  function notify(recipients: readonly NotificationRecipient[]): void {
    if (recipients.length === 0) return;
    const state = access.snapshot();
    const allowed = new Map<number, boolean>();
    for (const socket of socketsOf(io).values()) {
      const { userId } = socket.data.principal;
      const isUserAllowed = allowed.get(userId) ?? recipients.some((each) => canReceive(state, userId, each));
      allowed.set(userId, isUserAllowed);
      if (!isUserAllowed) continue;
      socket.emit('notified');
      sentMessages.inc({ kind: 'notified' });
    }
  }

  async function sendAll(): Promise<void> {
    for (let read = BATCH; read === BATCH; ) {
      const batch = await changes.read(seq, null, BATCH);
      read = batch.length;
      for (const governed of coalesceChanges(batch)) {
        seq = governed.change.seq;
        sendChange(governed);
      }
      notify(await recipientsOf(batch));
      if (read > 0) {
        batchSent();
        // Let the sockets write before the next batch.
        await immediate();
      }
    }
  }

  // Only one run at a time sends, so that changes stay ordered by seq. A run sends again if `sendNew` was called
  // meanwhile.
  let sending: Promise<void> | undefined;
  let hasMore = false;
  const run = async () => {
    while (hasMore) {
      hasMore = false;
      await sendAll();
    }
  };

  return {
    seq: () => seq,
    sendNew() {
      hasMore = true;
      sending ??= run()
        .catch((error: unknown) =>
          log.warn({ err: error }, 'Changes could not be read: they are sent with the next changes'),
        )
        .finally(() => {
          sending = undefined;
        });
    },
    since: (socket, after) => readMissedChanges({ changes, access }, socket, after, seq),
    idle: async () => sending,
  };
}

async function readMissedChanges(
  { changes, access }: Pick<QueryContext, 'access'> & { changes: LiveChanges },
  socket: LiveSocket,
  after: unknown,
  upTo: number,
): Promise<SinceAnswer> {
  const incomplete = { complete: false, changes: [], seq: upTo };
  if (typeof after !== 'number' || !Number.isSafeInteger(after) || after < 0) return incomplete;
  // A seq above `upTo` comes from a log that has lost events since then.
  if (after >= upTo) return { complete: after === upTo, changes: [], seq: upTo };
  const [missed, oldest] = await Promise.all([changes.read(after, upTo, SINCE_MAX + 1), changes.oldest()]);
  if (missed.length > SINCE_MAX || after + 1 < oldest) return incomplete;
  const state = access.snapshot();
  const { userId } = socket.data.principal;
  // The client must reload its lists, because they could still show data that the user can no longer read.
  if (missed.some(({ change }) => mayRevokeAccess(change))) return incomplete;
  const received = missed.filter(
    ({ change, dataSets }) =>
      roomsOf(change, state).some((room) => socket.rooms.has(room)) &&
      mayReceiveChange(state, userId, change, dataSets),
  );
  return { complete: true, changes: received.map(({ change }) => change), seq: upTo };
}
