/** Serves `event_store.client.streams.Streams`: passes calls to the reader and the writer. */

import type { ExpectedRevision } from '../storage/append-decision.ts';
import type { Outcome, WriteRequest, Writer } from '../storage/writer.ts';
import { type AppendLimits, serveBatchAppend, successBody } from './batch-append.ts';
import {
  damaged,
  full,
  invalidArgument,
  maximumAppendSizeExceeded,
  stopped,
  streamDeleted,
  timedOut,
  wrongExpectedVersion,
} from './errors.ts';
import { type Call, type CallError, type Handler, unary } from './grpc.ts';
import { type AppendReq, type DeleteReq, decoder, type ExpectedOptions, encoder, type ReadReq } from './protocol.ts';
import type { ReadService } from './reads.ts';
import type { ProposedEvent } from './recorded-event.ts';
import { AppendSize, expectedRevision, proposedEvent, writtenStream } from './requests.ts';

const decodeRead = decoder<ReadReq>('ReadReq');
const decodeAppend = decoder<AppendReq>('AppendReq');
const decodeDelete = decoder<DeleteReq>('DeleteReq');
const encodeAppend = encoder('AppendResp');
const encodeDelete = encoder('DeleteResp');

const STREAMS = '/event_store.client.streams.Streams';

/** Returns the handlers by path. */
export function streamsService(writer: Writer, reads: ReadService, limits: AppendLimits): [string, Handler][] {
  const deleteHandler = (kind: 'delete' | 'tombstone') =>
    unary(decodeDelete, async ({ options }, call) => {
      const request = writeTarget(options);
      const outcome = await submitWrite(writer, { kind, ...request, events: [] }, call, limits);
      return encodeDelete(deleteAnswer(outcome, request.stream, request.expected));
    });
  return [
    [
      `${STREAMS}/Read`,
      (call) =>
        call.receive(
          (bytes) => reads.serve(decodeRead(bytes), call),
          () => undefined,
        ),
    ],
    [`${STREAMS}/Append`, (call) => serveAppend(call, writer, limits)],
    [`${STREAMS}/BatchAppend`, (call) => serveBatchAppend(call, writer, limits)],
    [`${STREAMS}/Delete`, deleteHandler('delete')],
    [`${STREAMS}/Tombstone`, deleteHandler('tombstone')],
  ];
}

/** Serves an append: one message with the options, then one message per event, then the answer. */
function serveAppend(call: Call, writer: Writer, limits: AppendLimits): void {
  let target: ReturnType<typeof writeTarget> | undefined;
  const events: ProposedEvent[] = [];
  const size = new AppendSize();
  const receive = ({ content, options, proposedMessage }: AppendReq) => {
    if (content === 'options') target = writeTarget(options);
    if (proposedMessage === null) return;
    const event = proposedEvent(proposedMessage);
    size.add(event);
    const limit = size.exceededLimit(limits.maxAppendSize);
    if (limit !== undefined) throw maximumAppendSizeExceeded(limit);
    events.push(event);
  };
  const finish = async () => {
    try {
      if (target === undefined) throw invalidArgument('The request has no options');
      const outcome = await submitWrite(writer, { kind: 'append', ...target, events }, call, limits);
      call.send(encodeAppend(appendAnswer(outcome, target.stream, target.expected)));
      call.end();
    } catch (error) {
      call.fail(error);
    }
  };
  call.receive((bytes) => receive(decodeAppend(bytes)), finish);
}

function writeTarget(options: ExpectedOptions | null): { stream: string; expected: ExpectedRevision } {
  if (options === null) throw invalidArgument('The request has no options');
  return { stream: writtenStream(options), expected: expectedRevision(options) };
}

function submitWrite(
  writer: Writer,
  request: Omit<WriteRequest, 'answer' | 'expiresAt'>,
  call: Call,
  limits: AppendLimits,
): Promise<Outcome> {
  return new Promise((answer) => {
    const expiresAt = Math.min(call.expiresAt, Date.now() + limits.writeTimeout);
    writer.submit({ ...request, expiresAt, answer });
  });
}

/** Returns the answer to an append. The answer can contain a wrong version; every other error is thrown. */
function appendAnswer(outcome: Outcome, stream: string, expected: ExpectedRevision): object {
  if (outcome.kind === 'appended') return { success: successBody(outcome) };
  if (outcome.kind === 'wrong-version') return { wrongExpectedVersion: wrongVersion(expected, outcome.head) };
  throw toCallError(outcome, stream, expected);
}

function deleteAnswer(outcome: Outcome, stream: string, expected: ExpectedRevision): object {
  if (outcome.kind !== 'appended') throw toCallError(outcome, stream, expected);
  const { position } = outcome;
  return position === undefined
    ? { noPosition: {} }
    : { position: { commitPosition: position, preparePosition: position } };
}

function toCallError(
  outcome: Exclude<Outcome, { kind: 'appended' }>,
  stream: string,
  expected: ExpectedRevision,
): CallError {
  switch (outcome.kind) {
    case 'wrong-version':
      return wrongExpectedVersion(stream, expected, outcome.head);
    case 'deleted':
      return streamDeleted(stream);
    case 'timeout':
      return timedOut();
    case 'damaged':
      return damaged(outcome.details);
    case 'full':
      return full();
    case 'stopped':
      return stopped();
  }
}

/**
 * Returns the answer for a wrong version. The answer contains the numbers twice, because older clients read the fields
 * whose names end with `20_6_0`.
 */
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
