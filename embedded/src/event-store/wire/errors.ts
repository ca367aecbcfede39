/** Errors in the format of the protocol: trailers of a call, or a `google.rpc.Status` within a batch. */
import { DISK_FULL } from '@rdm/platform/event-store/disk-full';
import type { ExpectedRevision } from '../storage/append-decision.ts';
import { CallError, status } from './grpc.ts';
import { encoder } from './protocol.ts';

export const invalidArgument = (details: string) => new CallError(status.INVALID_ARGUMENT, details);

export const streamDeleted = (stream: string) =>
  new CallError(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

export const maximumAppendSizeExceeded = (limit: number) =>
  new CallError(status.INVALID_ARGUMENT, `Maximum Append Size of ${limit} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(limit),
  });

export const requiredPropertyMissing = (property: string) =>
  new CallError(status.INVALID_ARGUMENT, `Required Metadata Property '${property}' is missing`, {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });

export const timedOut = () =>
  new CallError(status.ABORTED, 'Operation timed out: the deadline passed before the write was confirmed');

export const stopped = () =>
  new CallError(
    status.UNAVAILABLE,
    'The event store can no longer write. It is not known whether this request was applied',
  );

/** The error has the same message as in EventStoreDB 23.10. */
export const consumerTooSlow = () =>
  new CallError(status.ABORTED, 'Consumer too slow to handle event while live. Client resubscription required.');

export const full = () => new CallError(status.RESOURCE_EXHAUSTED, DISK_FULL);

export const scavengeNotFound = (scavengeId: string) =>
  new CallError(status.NOT_FOUND, 'Scavenge id was invalid.', {
    exception: 'scavenge-not-found',
    'scavenge-id': scavengeId,
  });

export const damaged = (details: string) => new CallError(status.DATA_LOSS, details);

/** The numbers with which EventStoreDB encodes these expected revisions in trailers. */
const EXPECTED_NUMBER = { no_stream: '-1', any: '-2', stream_exists: '-4' };

/** Only for deletions: appends report a wrong version in their response. */
export function wrongExpectedVersion(stream: string, expected: ExpectedRevision, head: number): CallError {
  const number = typeof expected === 'bigint' ? expected.toString() : EXPECTED_NUMBER[expected];
  const details = `Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${number}, Actual version: ${head}`;
  return new CallError(status.FAILED_PRECONDITION, details, {
    exception: 'wrong-expected-version',
    'stream-name': stream,
    'expected-version': number,
    'actual-version': String(head),
  });
}

const encodeWrongVersion = encoder('WrongExpectedVersion');
const encodeDeleted = encoder('StreamDeleted');
const encodeSize = encoder('MaximumAppendSizeExceeded');
const encodeBadRequest = encoder('BadRequest');

function batchError(code: number, message: string, type: string, value: Buffer): object {
  return { code, message, details: { typeUrl: `type.googleapis.com/${type}`, value } };
}

/** For errors without a message type in the protocol. Clients show the text of the error. */
const errorWithoutType = (code: number, message: string) =>
  batchError(code, message, 'google.protobuf.Empty', Buffer.alloc(0));

/** The fields of `WrongExpectedVersion` for expected revisions that are not numbers. */
const EXPECTED_FIELD = {
  no_stream: { expectedNoStream: {} },
  any: { expectedAny: {} },
  stream_exists: { expectedStreamExists: {} },
};

export const batchErrors = {
  wrongVersion: (expected: ExpectedRevision, head: number) =>
    batchError(
      status.ALREADY_EXISTS,
      'WrongExpectedVersion',
      'event_store.client.WrongExpectedVersion',
      encodeWrongVersion({
        ...(head < 0 ? { currentNoStream: {} } : { currentStreamRevision: head }),
        ...(typeof expected === 'bigint' ? { expectedStreamPosition: expected.toString() } : EXPECTED_FIELD[expected]),
      }),
    ),
  deleted: (stream: string) =>
    batchError(
      status.NOT_FOUND,
      'StreamDeleted',
      'event_store.client.StreamDeleted',
      encodeDeleted({ streamIdentifier: { streamName: Buffer.from(stream) } }),
    ),
  tooLarge: (limit: number) =>
    batchError(
      status.INVALID_ARGUMENT,
      'MaximumAppendSizeExceeded',
      'event_store.client.MaximumAppendSizeExceeded',
      encodeSize({ maxAppendSize: limit }),
    ),
  badRequest: (message: string) =>
    batchError(status.INVALID_ARGUMENT, 'BadRequest', 'event_store.client.BadRequest', encodeBadRequest({ message })),
  timeout: () => batchError(status.DEADLINE_EXCEEDED, 'Timeout', 'event_store.client.Timeout', Buffer.alloc(0)),
  damaged: (message: string) => errorWithoutType(status.DATA_LOSS, message),
  full: () => errorWithoutType(status.RESOURCE_EXHAUSTED, DISK_FULL),
  stopped: () => errorWithoutType(status.UNAVAILABLE, stopped().message),
};
