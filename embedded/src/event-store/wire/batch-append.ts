/**
 * Serves `Streams/BatchAppend`: a client appends to many streams in one call. A successful append is answered when the
 * append is durable.
 */
import type { ExpectedRevision } from '../storage/append-decision.ts';
import type { Outcome, Writer } from '../storage/writer.ts';
import { batchErrors } from './errors.ts';
import type { Call } from './grpc.ts';
import { type BatchAppendReq, decoder, encoder, type Time, type Uuid } from './protocol.ts';
import type { ProposedEvent } from './recorded-event.ts';
import { AppendSize, expectedRevision, proposedEvent, uuidText, writtenStream } from './requests.ts';

const decode = decoder<BatchAppendReq>('BatchAppendReq');
const encode = encoder('BatchAppendResp');

/** An append that waits for further messages of the client. */
interface PartialAppend {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly expiresAt: number;
  readonly timer: NodeJS.Timeout | undefined;
  readonly events: ProposedEvent[];
  readonly size: AppendSize;
}

export function serveBatchAppend(call: Call, writer: Writer, limits: AppendLimits): void {
  const batches = new BatchAppends(call, writer, limits);
  call.receive(
    (bytes) => batches.receive(decode(bytes)),
    () => batches.end(),
  );
  call.closed.addEventListener('abort', () => batches.discard());
}

export interface AppendLimits {
  /** Maximum number of bytes of data in one append. */
  readonly maxAppendSize: number;
  /** The time for an append in milliseconds, if the client specifies no deadline. */
  readonly writeTimeout: number;
}

class BatchAppends {
  readonly #call: Call;
  readonly #writer: Writer;
  readonly #limits: AppendLimits;
  readonly #unfinished = new Map<string, PartialAppend>();
  #unanswered = 0;
  #hasEnded = false;

  constructor(call: Call, writer: Writer, limits: AppendLimits) {
    this.#call = call;
    this.#writer = writer;
    this.#limits = limits;
  }

  receive(request: BatchAppendReq): void {
    const stream = Buffer.from(request.options?.streamIdentifier?.streamName ?? []).toString();
    let id: string | undefined;
    try {
      id = uuidText(request.correlationId);
      if (request.options && !this.#unfinished.has(id)) this.#begin(id, request);
      const partial = this.#unfinished.get(id);
      // A refused or expired append is already answered: ignore its further messages.
      if (partial) this.#add(id, partial, request);
    } catch (error) {
      if (id !== undefined) this.#forget(id);
      this.#refuse(request.correlationId, stream, batchErrors.badRequest(messageOf(error)));
    }
  }

  end(): void {
    this.#hasEnded = true;
    this.#endWhenAnswered();
  }

  discard(): void {
    for (const { timer } of this.#unfinished.values()) clearTimeout(timer);
    this.#unfinished.clear();
  }

  #begin(id: string, { correlationId, options, isFinal }: BatchAppendReq): void {
    if (options === null) return;
    const stream = writtenStream(options);
    const expiresAt = deadline(options, this.#limits.writeTimeout);
    const timeLeft = expiresAt - Date.now();
    if (timeLeft <= 0) {
      this.#refuse(correlationId, stream, batchErrors.timeout());
      return;
    }
    const expire = () => {
      this.#forget(id);
      this.#refuse(correlationId, stream, batchErrors.timeout());
    };
    // A complete append needs no timer, because the writer checks the deadline.
    const timer = isFinal ? undefined : setTimeout(expire, timeLeft);
    const expected = expectedRevision(options);
    this.#unfinished.set(id, { stream, expected, expiresAt, timer, events: [], size: new AppendSize() });
  }

  #add(id: string, partial: PartialAppend, request: BatchAppendReq): void {
    const { stream, expected, expiresAt, events } = partial;
    for (const message of request.proposedMessages) {
      const event = proposedEvent(message);
      partial.size.add(event);
      events.push(event);
    }
    const limit = partial.size.exceededLimit(this.#limits.maxAppendSize);
    if (limit === undefined && !request.isFinal) return;
    this.#forget(id);
    if (limit !== undefined) {
      this.#refuse(request.correlationId, stream, batchErrors.tooLarge(limit));
      return;
    }
    this.#unanswered += 1;
    this.#writer.submit({
      kind: 'append',
      stream,
      expected,
      events,
      expiresAt,
      answer: (outcome) => {
        this.#unanswered -= 1;
        this.#send(request.correlationId, stream, resultBody(outcome, stream, expected));
        this.#endWhenAnswered();
      },
    });
    this.#pauseUntil(this.#writer.capacity());
  }

  #forget(id: string): void {
    clearTimeout(this.#unfinished.get(id)?.timer);
    this.#unfinished.delete(id);
  }

  #refuse(correlationId: Uuid | null, stream: string, error: object): void {
    this.#send(correlationId, stream, { error });
  }

  /** Sends an answer. While the client does not read its answers, the call receives no further appends. */
  #send(correlationId: Uuid | null, stream: string, answer: object): void {
    const response = { correlationId, streamIdentifier: { streamName: Buffer.from(stream) }, ...answer };
    if (!this.#call.send(encode(response))) this.#pauseUntil(this.#call.drained());
  }

  #pauseUntil(ready: Promise<void> | undefined): void {
    if (ready === undefined) return;
    this.#call.pause();
    ready.then(() => this.#call.resume());
  }

  #endWhenAnswered(): void {
    if (this.#hasEnded && this.#unanswered === 0) this.#call.end();
  }
}

function resultBody(outcome: Outcome, stream: string, expected: ExpectedRevision): object {
  switch (outcome.kind) {
    case 'appended':
      return { success: successBody(outcome) };
    case 'wrong-version':
      return { error: batchErrors.wrongVersion(expected, outcome.head) };
    case 'deleted':
      return { error: batchErrors.deleted(stream) };
    case 'timeout':
      return { error: batchErrors.timeout() };
    case 'damaged':
      return { error: batchErrors.damaged(outcome.details) };
    case 'full':
      return { error: batchErrors.full() };
    case 'stopped':
      return { error: batchErrors.stopped() };
  }
}

/** Returns the body of a success. `BatchAppend` and `Append` use the same body. */
export function successBody({ revision, position }: Extract<Outcome, { kind: 'appended' }>): object {
  return {
    ...(revision < 0 ? { noStream: {} } : { currentRevision: revision }),
    ...(position === undefined
      ? { noPosition: {} }
      : { position: { commitPosition: position, preparePosition: position } }),
  };
}

/**
 * Returns the deadline of an append, which the client specifies as a time or a duration. The default is `writeTimeout`.
 */
function deadline(options: NonNullable<BatchAppendReq['options']>, writeTimeout: number): number {
  if (options.deadlineAt) return milliseconds(options.deadlineAt);
  return Date.now() + (options.deadline ? milliseconds(options.deadline) : writeTimeout);
}

const milliseconds = (time: Time) => time.seconds.toNumber() * 1000 + time.nanos / 1e6;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
