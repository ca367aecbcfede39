/** Runs one scavenge at a time. Like EventStoreDB, records each scavenge in a stream `$scavenges-<id>`. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiskFull } from '../storage/disk.ts';
import { type ScavengedSegment, scavenge } from '../storage/scavenge.ts';
import { METADATA_TYPE, metastreamOf } from '../storage/stream-metadata.ts';
import type { Outcome } from '../storage/writer.ts';
import type { Store } from '../store.ts';
import { full, scavengeNotFound, stopped } from './errors.ts';
import { readHeader } from './recorded-event.ts';

/** The stream with links to the first and the last event of every scavenge. */
const INDEX_STREAM = '$scavenges';
const RETRY_MS = 1_000;
/** The maximum age of the events of scavenges, in seconds: 30 days. */
const MAX_AGE = 30 * 24 * 60 * 60;

/** The values of the enum `ScavengeResp.ScavengeResult`. */
const STARTED = 0;
const IN_PROGRESS = 1;
const STOPPED = 2;

export interface ScavengeAnswer {
  readonly scavengeId: string;
  readonly scavengeResult: number;
}

export interface ScavengesOptions {
  /** Returns the address of this node, which the events contain. */
  readonly node: () => string;
  /** The pause after each piece of work, as a multiple of its duration. At most 1 while clients append no events. */
  readonly pauseFactor: number;
  readonly warn: (message: string) => void;
}

interface RunningScavenge {
  readonly id: string;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

type Result = 'Success' | 'Stopped' | 'Errored' | 'Interrupted';

export class Scavenges {
  readonly #store: Store;
  readonly #options: ScavengesOptions;
  #running: RunningScavenge | undefined;
  readonly #closing = new AbortController();
  /** Resolves when the end of the last scavenge is recorded or the store closes. */
  #recorded: Promise<void> = Promise.resolve();

  constructor(store: Store, options: ScavengesOptions) {
    this.#store = store;
    this.#options = options;
  }

  /**
   * Starts a scavenge, or returns the running one. Throws if the store is closing, or if the disk has no space for the
   * events by which clients follow the scavenge.
   */
  async start(): Promise<ScavengeAnswer> {
    if (this.#running) return { scavengeId: this.#running.id, scavengeResult: IN_PROGRESS };
    if (this.#closing.signal.aborted) throw stopped();
    const id = randomUUID();
    const abort = new AbortController();
    const start = this.#begin(id);
    const ended = start.then(
      () => this.#run(id, abort.signal),
      () => undefined,
    );
    this.#running = { id, abort, ended: ended.finally(() => (this.#running = undefined)) };
    await start;
    return { scavengeId: id, scavengeResult: STARTED };
  }

  async stop(id: string): Promise<ScavengeAnswer> {
    if (this.#running?.id !== id) throw scavengeNotFound(id);
    this.#running.abort.abort();
    await this.#running.ended;
    return { scavengeId: id, scavengeResult: STOPPED };
  }

  /**
   * Stops the running scavenge and records its end. If the disk is full, the next process records an interruption
   * instead.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#running?.abort.abort();
    await this.#running?.ended;
    await this.#recorded;
  }

  /** If the previous process recorded no end of its last scavenge, records that the scavenge was interrupted. */
  async completeInterrupted(): Promise<void> {
    const { streams } = this.#store;
    const ordinals = streams.ordinals(INDEX_STREAM, streams.head(INDEX_STREAM), -1, 1);
    const [last] = [...streams.resolve(ordinals, true)];
    if (last?.event === undefined) return;
    const { type, data } = readHeader(last.event);
    if (type !== '$scavengeStarted') return;
    const { scavengeId } = JSON.parse(data.toString()) as { scavengeId: string };
    await this.#complete(scavengeId, { result: 'Interrupted', error: 'The node was restarted.' });
  }

  async #begin(id: string): Promise<void> {
    const metadata = Buffer.from(JSON.stringify({ $maxAge: MAX_AGE }));
    for (const stream of [INDEX_STREAM, streamOf(id)]) {
      const metastream = metastreamOf(stream);
      if (this.#store.streams.head(metastream) < 0) await this.#append(metastream, METADATA_TYPE, metadata);
    }
    const outcome = await this.#record(id, '$scavengeStarted', {
      alwaysKeepScavenged: false,
      mergeChunks: false,
      startFromChunk: 0,
      threads: 1,
    });
    if (outcome.kind === 'full') throw full();
    if (outcome.kind !== 'appended') throw stopped();
    await this.#link(id, outcome.revision);
  }

  async #run(id: string, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    let spaceSaved = 0;
    const onSegment = async ({ number, bytesSaved, elapsedMs }: ScavengedSegment) => {
      spaceSaved += bytesSaved;
      await this.#record(id, '$scavengeChunksCompleted', {
        chunkStartNumber: number,
        chunkEndNumber: number,
        timeTaken: timeSpan(elapsedMs),
        wasScavenged: true,
        spaceSaved: bytesSaved,
        errorMessage: '',
      });
    };
    let result: Result = 'Success';
    let error: string | null = null;
    try {
      await scavenge(this.#store, { pauseFactor: this.#options.pauseFactor, signal, onSegment });
    } catch (reason) {
      result = signal.aborted ? 'Stopped' : 'Errored';
      error = signal.aborted ? 'The scavenge was stopped.' : (reason as Error).message;
      if (reason instanceof DiskFull) error = `The disk is full. ${error}`;
      this.#options.warn(`a scavenge ended early: ${error}`);
    }
    await this.#complete(id, { result, error, elapsedMs: performance.now() - startedAt, spaceSaved });
  }

  async #complete(
    id: string,
    {
      result,
      error,
      elapsedMs = 0,
      spaceSaved = 0,
    }: { result: Result; error: string | null; elapsedMs?: number; spaceSaved?: number },
  ): Promise<void> {
    const timeTaken = timeSpan(elapsedMs);
    const record = () => this.#record(id, '$scavengeCompleted', { result, error, timeTaken, spaceSaved });
    const outcome = await record();
    if (outcome.kind === 'appended') await this.#link(id, outcome.revision);
    else if (outcome.kind === 'full') this.#recorded = this.#recordLater(id, record);
  }

  /** Retries the recording of an event until the disk has space or the store closes. */
  async #recordLater(id: string, record: () => Promise<Outcome>): Promise<void> {
    let outcome: Outcome = { kind: 'full' };
    while (outcome.kind === 'full' && !this.#closing.signal.aborted) {
      await sleep(RETRY_MS, undefined, { signal: this.#closing.signal }).catch(() => undefined);
      outcome = await record();
    }
    if (outcome.kind === 'appended') await this.#link(id, outcome.revision);
  }

  async #record(id: string, type: string, data: object): Promise<Outcome> {
    const event = { scavengeId: id, nodeEndpoint: this.#options.node(), ...data };
    return this.#append(streamOf(id), type, Buffer.from(JSON.stringify(event)));
  }

  async #link(id: string, revision: number): Promise<void> {
    await this.#append(INDEX_STREAM, '$>', Buffer.from(`${revision}@${streamOf(id)}`));
  }

  /** Returns the outcome instead of throwing, because not every caller needs the event. */
  async #append(stream: string, type: string, data: Buffer): Promise<Outcome> {
    const event = { id: randomUUID(), type, isJson: type !== '$>', data, metadata: Buffer.alloc(0) };
    const outcome = await new Promise<Outcome>((answer) => {
      const request = { kind: 'append' as const, stream, expected: 'any' as const, events: [event] };
      this.#store.writer.submit({ ...request, expiresAt: Number.POSITIVE_INFINITY, answer });
    });
    if (outcome.kind !== 'appended') this.#options.warn(`${type} could not be appended to ${stream}: ${outcome.kind}`);
    return outcome;
  }
}

const streamOf = (id: string) => `${INDEX_STREAM}-${id}`;

/** Formats a duration like a .NET TimeSpan. */
function timeSpan(milliseconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const seconds = milliseconds / 1000;
  const days = Math.floor(seconds / 86_400);
  const ticks = String(Math.floor((seconds % 1) * 1e7)).padStart(7, '0');
  const time = `${two((seconds / 3_600) % 24)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}.${ticks}`;
  return days > 0 ? `${days}.${time}` : time;
}
