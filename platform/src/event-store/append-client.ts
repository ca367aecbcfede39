/** Appends through a client of the event store that is replaced when it can no longer append. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AppendExpectedRevision,
  type AppendResult,
  ErrorType,
  type EventData,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { DISK_FULL } from './disk-full.ts';

/** The store did not answer an append in time. */
export class AppendTimedOut extends Error {
  constructor(stream: string, deadlineMs: number) {
    super(`No answer to an append to ${stream} within ${deadlineMs / 1000} seconds`);
    this.name = 'AppendTimedOut';
  }
}

/** The answer of a store that takes appends: the client works. */
const ANSWERS: ReadonlySet<string> = new Set([
  ErrorType.WRONG_EXPECTED_VERSION,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.STREAM_DELETED,
  ErrorType.DEADLINE_EXCEEDED,
  ErrorType.TIMEOUT,
]);

/** After these errors the client reconnects by itself, to the leader that the last one names. */
const RECONNECTS: ReadonlySet<string> = new Set([ErrorType.UNAVAILABLE, ErrorType.CANCELLED, ErrorType.NOT_LEADER]);

const typeOf = (error: unknown): string => (error instanceof Error && 'type' in error ? String(error.type) : '');

const isAnswer = (error: unknown): boolean =>
  ANSWERS.has(typeOf(error)) || (error instanceof Error && error.message.includes(DISK_FULL));

/**
 * When an append stream fails, the client leaves the rejections of messages that waited to be sent unhandled, which ends the
 * process. The appends of these messages are rejected as well, and are handled there.
 */
process.on('unhandledRejection', (reason) => {
  const isOfAppendStream = reason instanceof Error && 'metadata' in reason && reason.stack?.includes('batchAppend');
  if (!isOfAppendStream) throw reason;
});

/** A cancelled stream ends within a turn; this bounds one that does not. */
const DISPOSE_MS = 2_000;

/**
 * The official client keeps a failed discovery for good: every later append fails with it, even when the cluster is back. A
 * client that failed is therefore replaced. Two clients never append at the same time: the pending appends of all clients of a
 * process are in one map, and when the append stream of one ends it rejects those of the other, whose answers then end the
 * process with a TypeError. So appends go through a client of their own, and its successor is created after its append stream
 * has ended. Pending appends fail then, and have an unknown outcome.
 */
export class AppendClient {
  readonly #connect: () => EventStoreDBClient;
  #client: EventStoreDBClient;
  #replacement: Promise<void> | undefined;
  #answers = 0;
  #replacements = 0;

  constructor(connect: () => EventStoreDBClient) {
    this.#connect = connect;
    this.#client = connect();
  }

  /** Number of clients that were replaced. */
  get replacements(): number {
    return this.#replacements;
  }

  /**
   * Throws what the client throws, and AppendTimedOut. `isProbe`: a timeout is no failure of the client,
   * because a probe waits for less long than an append may take.
   */
  async append(
    stream: string,
    events: EventData[],
    expectedRevision: AppendExpectedRevision,
    { deadlineMs, isProbe = false }: { deadlineMs: number; isProbe?: boolean },
  ): Promise<AppendResult> {
    await this.#replacement;
    const client = this.#client;
    const answersBefore = this.#answers;
    let timer: NodeJS.Timeout | undefined;
    const timedOut = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new AppendTimedOut(stream, deadlineMs)), deadlineMs);
    });
    try {
      const appended = await Promise.race([client.appendToStream(stream, events, { expectedRevision }), timedOut]);
      this.#answers += 1;
      return appended;
    } catch (error) {
      // A member that hangs answers no append; a slow one has answered other appends meanwhile.
      const isSlow = error instanceof AppendTimedOut && (isProbe || this.#answers > answersBefore);
      if (isAnswer(error)) this.#answers += 1;
      else if (!isSlow && !RECONNECTS.has(typeOf(error))) this.#replace(client);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(withinMs: number): Promise<void> {
    await this.#replacement;
    await endedWithin(this.#client, withinMs);
  }

  #replace(failed: EventStoreDBClient): void {
    if (failed !== this.#client || this.#replacement) return;
    this.#replacement = endedWithin(failed, DISPOSE_MS).then(() => {
      this.#client = this.#connect();
      this.#replacements += 1;
      this.#replacement = undefined;
    });
  }
}

/** Cancels the streams of a client and waits for their end. */
async function endedWithin(client: EventStoreDBClient, ms: number): Promise<void> {
  await Promise.race([client.dispose(), sleep(ms, undefined, { ref: false })]);
}
