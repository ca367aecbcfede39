/** Appends through a client of the event store, and replaces the client when it can no longer append. */
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

/** Errors that are answers of a working store: they show that the client works. */
const ANSWERS: ReadonlySet<string> = new Set([
  ErrorType.WRONG_EXPECTED_VERSION,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.STREAM_DELETED,
  ErrorType.DEADLINE_EXCEEDED,
  ErrorType.TIMEOUT,
]);

/** Errors after which the client reconnects by itself; NOT_LEADER contains the address of the leader. */
const RECONNECTS: ReadonlySet<string> = new Set([ErrorType.UNAVAILABLE, ErrorType.CANCELLED, ErrorType.NOT_LEADER]);

const typeOf = (error: unknown): string => (error instanceof Error && 'type' in error ? String(error.type) : '');

const isAnswer = (error: unknown): boolean =>
  ANSWERS.has(typeOf(error)) || (error instanceof Error && error.message.includes(DISK_FULL));

/**
 * When an append stream fails, the client does not handle the rejections of unsent messages, and the process would end.
 * These rejections can be ignored, because the appends of the messages are rejected too.
 */
process.on('unhandledRejection', (reason) => {
  const isOfAppendStream = reason instanceof Error && 'metadata' in reason && reason.stack?.includes('batchAppend');
  if (!isOfAppendStream) throw reason;
});

/** How long to wait for the end of a cancelled stream, which usually ends at once. */
const DISPOSE_MS = 2_000;

/**
 * Replaces a client that failed, because the official client never retries a failed discovery of the cluster.
 *
 * Two clients must not append at the same time, because all clients of a process share one map of pending appends. The
 * end of one append stream rejects the appends of both clients, and later answers end the process with a TypeError. So
 * a process appends only through this class, and the next client is created when the append stream has ended, or after
 * `DISPOSE_MS`. Appends that are still pending then fail with an unknown outcome.
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

  /** The number of clients that were replaced. */
  get replacements(): number {
    return this.#replacements;
  }

  /**
   * Appends events; throws the errors of the client, and AppendTimedOut. With `isProbe`, a timeout does not replace the
   * client, because a probe waits for a shorter time than an append may take.
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
      // A member that hangs answers no append. A slow member has answered other appends meanwhile.
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
    await endStreamsWithin(this.#client, withinMs);
  }

  #replace(failed: EventStoreDBClient): void {
    if (failed !== this.#client || this.#replacement) return;
    this.#replacement = endStreamsWithin(failed, DISPOSE_MS).then(() => {
      this.#client = this.#connect();
      this.#replacements += 1;
      this.#replacement = undefined;
    });
  }
}

/** Cancels the streams of a client, and waits for the end of the streams for at most `ms`. */
async function endStreamsWithin(client: EventStoreDBClient, ms: number): Promise<void> {
  await Promise.race([client.dispose(), sleep(ms, undefined, { ref: false })]);
}
