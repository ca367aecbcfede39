/** `event_store.client.streams.Streams`: the calls of the protocol, handed to the reader and the writer. */
import {
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  type ServerErrorResponse,
  status,
} from '@grpc/grpc-js';
import { type AppendLimits, serveBatchAppend, success } from './batch-append.ts';
import type { ExpectedRevision } from './decide.ts';
import {
  callError,
  invalidArgument,
  maximumAppendSizeExceeded,
  stopped,
  streamDeleted,
  timedOut,
  wrongExpectedVersion,
} from './errors.ts';
import {
  type AppendReq,
  type BatchAppendReq,
  type DeleteReq,
  type ExpectedOptions,
  encoder,
  type ReadReq,
} from './protocol.ts';
import type { ReadService } from './read.ts';
import { DamagedLog } from './record.ts';
import type { ProposedEvent } from './recorded-event.ts';
import { appendSize, expectedRevision, proposedEvent, writtenStream } from './requests.ts';
import type { Outcome, WriteRequest, Writer } from './writer.ts';

const encodeAppend = encoder('AppendResp');
const encodeDelete = encoder('DeleteResp');

export interface StreamsService {
  readonly read: handleServerStreamingCall<ReadReq, Buffer>;
  readonly append: handleClientStreamingCall<AppendReq, Buffer>;
  readonly batchAppend: handleBidiStreamingCall<BatchAppendReq, Buffer>;
  readonly delete: handleUnaryCall<DeleteReq, Buffer>;
  readonly tombstone: handleUnaryCall<DeleteReq, Buffer>;
}

export function streamsService(writer: Writer, reads: ReadService, limits: AppendLimits): StreamsService {
  const remove =
    (kind: 'delete' | 'tombstone'): handleUnaryCall<DeleteReq, Buffer> =>
    (call, answer) => {
      answering(answer, async () => {
        const request = target(call.request.options);
        const outcome = await write(writer, { kind, ...request, events: [] }, limits);
        return encodeDelete(removed(outcome, request.stream, request.expected));
      });
    };
  return {
    read: (call) => {
      reads.serve(call).catch((error) => call.emit('error', asCallError(error)));
    },
    append: (call, answer) => {
      answering(answer, async () => {
        const { stream, expected, events } = await receive(call, limits.maxAppendSize);
        const outcome = await write(writer, { kind: 'append', stream, expected, events }, limits);
        return encodeAppend(appended(outcome, stream, expected));
      });
    },
    batchAppend: (call) => serveBatchAppend(call, writer, limits),
    delete: remove('delete'),
    tombstone: remove('tombstone'),
  };
}

function answering(
  answer: (error: ServerErrorResponse | null, response?: Buffer) => void,
  work: () => Promise<Buffer>,
): void {
  work().then(
    (response) => answer(null, response),
    (error) => answer(asCallError(error)),
  );
}

function asCallError(error: unknown): ServerErrorResponse {
  if (error instanceof DamagedLog) return callError(status.DATA_LOSS, error.message);
  if (error instanceof Error && 'code' in error && 'metadata' in error) return error as ServerErrorResponse;
  return callError(status.INTERNAL, error instanceof Error ? error.message : String(error));
}

function target(options: ExpectedOptions | null): { stream: string; expected: ExpectedRevision } {
  if (options === null) throw invalidArgument('The request has no options');
  return { stream: writtenStream(options), expected: expectedRevision(options) };
}

/** The options come first, then each event in a message of its own. */
async function receive(
  messages: AsyncIterable<AppendReq>,
  maxAppendSize: number,
): Promise<{ stream: string; expected: ExpectedRevision; events: ProposedEvent[] }> {
  let head: ReturnType<typeof target> | undefined;
  const events: ProposedEvent[] = [];
  let size = 0;
  for await (const message of messages) {
    if (message.content === 'options') head = target(message.options);
    if (message.proposedMessage === null) continue;
    const event = proposedEvent(message.proposedMessage);
    size += appendSize(event);
    if (size > maxAppendSize) throw maximumAppendSizeExceeded(maxAppendSize);
    events.push(event);
  }
  if (head === undefined) throw invalidArgument('The request has no options');
  return { ...head, events };
}

function write(
  writer: Writer,
  request: Omit<WriteRequest, 'answer' | 'expiresAt'>,
  limits: AppendLimits,
): Promise<Outcome> {
  return new Promise((answer) => {
    writer.submit({ ...request, expiresAt: Date.now() + limits.writeTimeout, answer });
  });
}

/** A unary append tells a wrong version in its answer, everything else in the status. */
function appended(outcome: Outcome, stream: string, expected: ExpectedRevision): object {
  if (outcome.kind === 'appended') return { success: success(outcome) };
  if (outcome.kind === 'wrong-version') return { wrongExpectedVersion: wrongVersion(expected, outcome.head) };
  throw refusal(outcome, stream, expected);
}

function removed(outcome: Outcome, stream: string, expected: ExpectedRevision): object {
  if (outcome.kind !== 'appended') throw refusal(outcome, stream, expected);
  const { position } = outcome;
  return position === undefined
    ? { noPosition: {} }
    : { position: { commitPosition: position, preparePosition: position } };
}

function refusal(
  outcome: Exclude<Outcome, { kind: 'appended' }>,
  stream: string,
  expected: ExpectedRevision,
): ServerErrorResponse {
  switch (outcome.kind) {
    case 'wrong-version':
      return wrongExpectedVersion(stream, expected, outcome.head);
    case 'deleted':
      return streamDeleted(stream);
    case 'timeout':
      return timedOut();
    case 'stopped':
      return stopped();
  }
}

/** Filled in twice, as older clients read the fields that bear a version in their names. */
function wrongVersion(expected: ExpectedRevision, head: number): object {
  const current =
    head < 0 ? { currentNoStream: {}, noStream_20_6_0: {} } : { currentRevision: head, currentRevision_20_6_0: head };
  switch (expected) {
    case 'any':
      return { ...current, expectedAny: {}, any_20_6_0: {} };
    case 'stream_exists':
      return { ...current, expectedStreamExists: {}, streamExists_20_6_0: {} };
    case 'no_stream':
      return { ...current, expectedNoStream: {}, expectedRevision_20_6_0: '18446744073709551615' };
    default:
      return { ...current, expectedRevision: expected.toString(), expectedRevision_20_6_0: expected.toString() };
  }
}
