/** Tests deletions, tombstones, and metadata that limits which events can be read. */
import { ANY, BACKWARDS, END, NO_STREAM, STREAM_EXISTS } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { collect, event, events, failureOf, newStream, numbers, useStore } from './target.ts';

const store = useStore();
const read = (stream: string) => collect(store.client.readStream(stream));

async function createStream(count: number): Promise<string> {
  const stream = newStream();
  await store.client.appendToStream(stream, events(count), { expectedRevision: NO_STREAM });
  return stream;
}

describe('a soft deletion', () => {
  // STREAM_EXISTS is not tested, because the client refuses such a deletion before it sends a request.
  it.each([ANY, 2n] as const)('hides the stream at the expected revision %s', async (expectedRevision) => {
    const stream = await createStream(3);
    const { position } = await store.client.deleteStream(stream, { expectedRevision });
    expect(position?.commit).toBeTypeOf('bigint');
    expect(await failureOf(read(stream))).toMatchObject({ type: 'stream-not-found' });
  });

  it.each([NO_STREAM, 1n, 3n] as const)('is refused at the wrong revision %s', async (expectedRevision) => {
    const stream = await createStream(3);
    expect(await failureOf(store.client.deleteStream(stream, { expectedRevision }))).toMatchObject({
      type: 'wrong-expected-version',
      streamName: stream,
      actualVersion: 2n,
    });
    expect(await read(stream)).toHaveLength(3);
  });

  it('is refused for a missing stream', async () => {
    for (const expectedRevision of [ANY, NO_STREAM] as const) {
      expect(await failureOf(store.client.deleteStream(newStream(), { expectedRevision }))).toMatchObject({
        type: 'wrong-expected-version',
      });
    }
  });

  it.each([NO_STREAM, ANY, 2n] as const)(
    'lets the stream continue after the deleted events at the expected revision %s',
    async (expectedRevision) => {
      const stream = await createStream(3);
      await store.client.deleteStream(stream);
      const result = await store.client.appendToStream(stream, event({ number: 3 }), { expectedRevision });
      expect(result.nextExpectedRevision).toBe(3n);
      expect(numbers(await read(stream))).toEqual([3]);
      expect(
        numbers(await collect(store.client.readStream(stream, { direction: BACKWARDS, fromRevision: END }))),
      ).toEqual([3]);
      const { metadata } = await store.client.getStreamMetadata(stream);
      expect(metadata?.truncateBefore).toBe(3);
    },
  );

  it('prevents an append that expects the stream to exist', async () => {
    const stream = await createStream(1);
    await store.client.deleteStream(stream);
    const attempt = store.client.appendToStream(stream, events(1), { expectedRevision: STREAM_EXISTS });
    expect(await failureOf(attempt)).toMatchObject({ type: 'stream-deleted' });
  });

  it('keeps the events in $all', async () => {
    const stream = await createStream(3);
    await store.client.deleteStream(stream);
    const all = await collect(store.client.readAll());
    expect(all.filter(({ event: recordedEvent }) => recordedEvent?.streamId === stream)).toHaveLength(3);
  });

  it('still hides the deleted events after the metadata of the stream is written', async () => {
    const stream = await createStream(3);
    await store.client.deleteStream(stream);
    await store.client.setStreamMetadata(stream, { owner: 'someone' });
    expect(await read(stream)).toHaveLength(0);
    expect((await store.client.getStreamMetadata(stream)).metadata).toMatchObject({
      owner: 'someone',
      truncateBefore: 3,
    });
    await store.client.appendToStream(stream, event({ number: 3 }), { expectedRevision: 2n });
    expect(numbers(await read(stream))).toEqual([3]);
  });
});

describe('a tombstone', () => {
  it.each([ANY, 2n] as const)('ends the stream permanently at the expected revision %s', async (expectedRevision) => {
    const stream = await createStream(3);
    const { position } = await store.client.tombstoneStream(stream, { expectedRevision });
    expect(position?.commit).toBeTypeOf('bigint');
    expect(await failureOf(read(stream))).toMatchObject({ type: 'stream-deleted', streamName: stream });
    for (const revision of [ANY, NO_STREAM, 2n, STREAM_EXISTS] as const) {
      const attempt = store.client.appendToStream(stream, events(1), { expectedRevision: revision });
      expect(await failureOf(attempt)).toMatchObject({ type: 'stream-deleted' });
    }
    expect(await failureOf(store.client.tombstoneStream(stream))).toMatchObject({ type: 'stream-deleted' });
    expect(await failureOf(store.client.deleteStream(stream))).toMatchObject({ type: 'stream-deleted' });
    expect(await failureOf(store.client.setStreamMetadata(stream, { maxCount: 1 }))).toMatchObject({
      type: 'stream-deleted',
    });
  });

  it.each([NO_STREAM, 1n] as const)('is refused at the wrong revision %s', async (expectedRevision) => {
    const stream = await createStream(3);
    expect(await failureOf(store.client.tombstoneStream(stream, { expectedRevision }))).toMatchObject({
      type: 'wrong-expected-version',
    });
    expect(await read(stream)).toHaveLength(3);
  });

  it('can be written for a stream that never existed', async () => {
    const stream = newStream();
    await store.client.tombstoneStream(stream, { expectedRevision: NO_STREAM });
    expect(await failureOf(read(stream))).toMatchObject({ type: 'stream-deleted' });
  });

  it('is an event of $all', async () => {
    const stream = await createStream(1);
    const { position } = await store.client.tombstoneStream(stream);
    if (position === undefined) throw new Error('a tombstone has a position');
    const [tombstone] = await collect(store.client.readAll({ fromPosition: position, maxCount: 1 }));
    expect(tombstone?.event).toMatchObject({
      streamId: stream,
      type: '$streamDeleted',
      revision: 9223372036854775807n,
    });
  });
});

describe('stream metadata', () => {
  it('replaces the earlier metadata completely', async () => {
    const stream = await createStream(1);
    await store.client.setStreamMetadata(stream, { maxCount: 5, maxAge: 60, cacheControl: 7, custom: { a: [1] } });
    await store.client.setStreamMetadata(stream, { maxCount: 6, note: 'later' }, { expectedRevision: 0n });
    const { metadata } = await store.client.getStreamMetadata(stream);
    expect(metadata).toEqual({ maxCount: 6, note: 'later' });
    expect(await collect(store.client.readStream(`$$${stream}`))).toHaveLength(1);
    expect((await store.client.getStreamMetadata(newStream())).metadata).toBeUndefined();
  });

  it('has its own expected revision', async () => {
    const stream = newStream();
    await store.client.setStreamMetadata(stream, { maxCount: 1 }, { expectedRevision: NO_STREAM });
    const attempt = store.client.setStreamMetadata(stream, { maxCount: 2 }, { expectedRevision: NO_STREAM });
    expect(await failureOf(attempt)).toMatchObject({ type: 'wrong-expected-version' });
  });

  it('keeps the last $maxCount events', async () => {
    const stream = await createStream(10);
    await store.client.setStreamMetadata(stream, { maxCount: 3 });
    expect(numbers(await read(stream))).toEqual([7, 8, 9]);
    expect(numbers(await collect(store.client.readStream(stream, { fromRevision: 2n, maxCount: 2 })))).toEqual([7, 8]);
    expect(
      numbers(await collect(store.client.readStream(stream, { direction: BACKWARDS, fromRevision: END }))),
    ).toEqual([9, 8, 7]);
    await store.client.appendToStream(stream, event({ number: 10 }), { expectedRevision: 9n });
    expect(numbers(await read(stream))).toEqual([8, 9, 10]);
  });

  it('keeps the events from $tb on', async () => {
    const stream = await createStream(10);
    await store.client.setStreamMetadata(stream, { truncateBefore: 8 });
    expect(numbers(await read(stream))).toEqual([8, 9]);
    const subscription = store.client.subscribeToStream(stream);
    expect(numbers(await collect(subscription, 2))).toEqual([8, 9]);
  });

  it('can exclude all events', async () => {
    const stream = await createStream(3);
    await store.client.setStreamMetadata(stream, { truncateBefore: 100 });
    expect(await read(stream)).toHaveLength(0);
    expect((await store.client.appendToStream(stream, events(1), { expectedRevision: 2n })).nextExpectedRevision).toBe(
      3n,
    );
  });

  it('keeps the events younger than $maxAge', async () => {
    const stream = await createStream(3);
    await store.client.setStreamMetadata(stream, { maxAge: 3_600 });
    expect(await read(stream)).toHaveLength(3);
    await store.client.setStreamMetadata(stream, { maxAge: 1 });
    await expect.poll(() => read(stream), { timeout: 40_000 }).toHaveLength(0);
    await store.client.appendToStream(stream, event({ number: 3 }), { expectedRevision: 2n });
    expect(numbers(await read(stream))).toEqual([3]);
  });

  it('has no effect if it is not a JSON object', async () => {
    const stream = await createStream(3);
    await store.client.appendToStream(`$$${stream}`, { ...event(), type: '$metadata', data: 'nonsense' } as never);
    expect(await read(stream)).toHaveLength(3);
  });
});
