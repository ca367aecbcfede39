/** Tests appends through both append calls of the client: expected revisions, repeats, sizes and deadlines. */
import { randomUUID } from 'node:crypto';
import { ANY, binaryEvent, NO_STREAM, STREAM_EXISTS } from '@eventstore/db-client';
import { describe, expect, it } from 'vitest';
import { collect, event, events, failureOf, itOfEmbeddedStore, newStream, useStore } from './target.ts';

const store = useStore();
/** The maximum bytes of data in one append. */
const LIMIT = 1_048_576;

/** A call with credentials uses the unary Append. The client sends no credentials over an insecure connection. */
const appendCalls = [
  { call: 'BatchAppend', options: {} },
  { call: 'Append', options: { credentials: { username: 'admin', password: 'changeit' } } },
];

describe.each(appendCalls)('appending by $call', ({ options }) => {
  const append = (
    stream: string,
    batch: ReturnType<typeof events>,
    expectedRevision: bigint | 'any' | 'no_stream' | 'stream_exists',
  ) => store.client.appendToStream(stream, batch, { ...options, expectedRevision });

  it('begins a stream at revision 0', async () => {
    const stream = newStream();
    const result = await append(stream, events(1), NO_STREAM);
    expect(result.success).toBe(true);
    expect(result.nextExpectedRevision).toBe(0n);
    expect(result.position?.commit).toBeTypeOf('bigint');
  });

  it('continues at the exact revision', async () => {
    const stream = newStream();
    await append(stream, events(3), NO_STREAM);
    expect((await append(stream, events(2), 2n)).nextExpectedRevision).toBe(4n);
  });

  it('accepts an append without an expected revision', async () => {
    const stream = newStream();
    expect((await append(stream, events(1), ANY)).nextExpectedRevision).toBe(0n);
    expect((await append(stream, events(1), ANY)).nextExpectedRevision).toBe(1n);
  });

  it('accepts STREAM_EXISTS only for an existing stream', async () => {
    const stream = newStream();
    expect(await failureOf(append(stream, events(1), STREAM_EXISTS))).toMatchObject({
      type: 'wrong-expected-version',
      expectedVersion: 'stream_exists',
      actualVersion: 'no_stream',
    });
    await append(stream, events(1), NO_STREAM);
    expect((await append(stream, events(1), STREAM_EXISTS)).nextExpectedRevision).toBe(1n);
  });

  it('counts a stream with metadata as existing', async () => {
    const stream = newStream();
    await store.client.setStreamMetadata(stream, { maxCount: 10 });
    expect((await append(stream, events(1), STREAM_EXISTS)).nextExpectedRevision).toBe(0n);
  });

  it.each([
    { name: 'NO_STREAM for an existing stream', expected: NO_STREAM, actual: 1n },
    { name: 'an expected revision before the head', expected: 0n, actual: 1n },
    { name: 'an expected revision after the head', expected: 7n, actual: 1n },
  ] as const)('refuses $name', async ({ expected, actual }) => {
    const stream = newStream();
    await append(stream, events(2), NO_STREAM);
    expect(await failureOf(append(stream, events(1), expected))).toMatchObject({
      type: 'wrong-expected-version',
      streamName: stream,
      expectedVersion: expected,
      actualVersion: actual,
    });
    expect(await collect(store.client.readStream(stream))).toHaveLength(2);
  });

  it('refuses an expected revision for a missing stream', async () => {
    expect(await failureOf(append(newStream(), events(1), 0n))).toMatchObject({
      type: 'wrong-expected-version',
      expectedVersion: 0n,
      actualVersion: 'no_stream',
    });
  });

  it('answers a repeat with the revision of its last event', async () => {
    const stream = newStream();
    const [first, second] = [events(2), events(3)];
    await append(stream, first, NO_STREAM);
    const original = await append(stream, second, 1n);
    await append(stream, events(1), 4n);
    for (const [batch, expected, next] of [
      [first, NO_STREAM, 1n],
      [second, 1n, 4n],
      [second.slice(0, 2), 1n, 3n],
    ] as const) {
      const repeat = await append(stream, [...batch], expected);
      expect(repeat.success).toBe(true);
      expect(repeat.nextExpectedRevision).toBe(next);
    }
    expect(original.nextExpectedRevision).toBe(4n);
    expect(await collect(store.client.readStream(stream))).toHaveLength(6);
  });

  it('appends the same events again at the head revision', async () => {
    const stream = newStream();
    const batch = events(2);
    await append(stream, batch, NO_STREAM);
    expect((await append(stream, batch, 1n)).nextExpectedRevision).toBe(3n);
  });

  it('refuses a repeat whose events are not the first events of the earlier append', async () => {
    const stream = newStream();
    const [a, b, c] = events(3) as [ReturnType<typeof event>, ReturnType<typeof event>, ReturnType<typeof event>];
    await append(stream, [a, b, c], NO_STREAM);
    for (const batch of [
      [b, a, c],
      [a, c],
      [a, b, c, event()],
      [event(), b, c],
      [a, event()],
    ]) {
      expect(await failureOf(append(stream, batch, NO_STREAM))).toMatchObject({ type: 'wrong-expected-version' });
    }
    expect(await collect(store.client.readStream(stream))).toHaveLength(3);
  });

  it('writes a repeated append without an expected revision only once', async () => {
    const stream = newStream();
    const batch = events(2);
    await append(stream, batch, ANY);
    expect((await append(stream, batch, ANY)).nextExpectedRevision).toBe(1n);
    expect(await collect(store.client.readStream(stream))).toHaveLength(2);
  });

  it('writes twenty equal concurrent appends once', async () => {
    const stream = newStream();
    const batch = events(3);
    const readIds = async () => (await collect(store.client.readStream(stream))).map((resolved) => resolved.event?.id);
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => append(stream, batch, NO_STREAM)));
    // EventStoreDB 23.10 ends some of the appends with a timeout.
    const revisions = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? [outcome.value.nextExpectedRevision] : [],
    );
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.type] : []));
    expect(new Set(revisions)).toEqual(new Set([2n]));
    expect(refusals).not.toContain('wrong-expected-version');
    expect(await readIds()).toEqual(batch.map(({ id }) => id));

    const repeat = await append(stream, batch, NO_STREAM);
    expect(repeat).toMatchObject({ success: true, nextExpectedRevision: 2n });
    expect(repeat.position?.commit).toBeTypeOf('bigint');
    expect(await readIds()).toHaveLength(3);
  });

  itOfEmbeddedStore('accepts twenty equal concurrent appends (embedded store only)', async () => {
    const stream = newStream();
    const batch = events(3);
    const answers = await Promise.all(Array.from({ length: 20 }, () => append(stream, batch, NO_STREAM)));
    expect(answers.map((answer) => answer.nextExpectedRevision)).toEqual(Array(20).fill(2n));
  });

  it('writes all events of an append or none', async () => {
    const stream = newStream();
    await append(stream, events(2), NO_STREAM);
    await failureOf(append(stream, events(50), 0n));
    const result = await append(stream, events(50), 1n);
    expect(result.nextExpectedRevision).toBe(51n);
  });

  it('keeps id, type, data, metadata and content type', async () => {
    const stream = newStream();
    const data = { text: 'Zürich ✓ 漢字 \u0000', number: 1.5, list: [null, true], nested: { a: 'b' } };
    const id = randomUUID();
    const json = { ...event(data, 'Typ-Ü', id), metadata: { $correlationId: 'c', actor: 'ö' } };
    const bytes = binaryEvent({ type: 'Bytes', data: Buffer.from([0, 255, 10, 13]), metadata: Buffer.from([1, 2]) });
    await store.client.appendToStream(stream, [json, bytes], { ...options, expectedRevision: NO_STREAM });
    const anHourAgo = Date.now() - 3_600_000;
    const [first, second] = (await collect(store.client.readStream(stream))).map((resolved) => resolved.event);
    expect(first).toMatchObject({ id, type: 'Typ-Ü', data, metadata: json.metadata, isJson: true, streamId: stream });
    expect(first?.created.getTime()).toBeGreaterThan(anHourAgo);
    expect(second).toMatchObject({ type: 'Bytes', isJson: false, revision: 1n });
    expect(Buffer.from(second?.data as Uint8Array)).toEqual(Buffer.from([0, 255, 10, 13]));
    expect(Buffer.from(second?.metadata as Uint8Array)).toEqual(Buffer.from([1, 2]));
  });

  it('keeps events without data', async () => {
    const stream = newStream();
    const empty = binaryEvent({ type: 'Empty', data: Buffer.alloc(0) });
    await store.client.appendToStream(stream, empty, { ...options, expectedRevision: NO_STREAM });
    const [resolved] = await collect(store.client.readStream(stream));
    expect(resolved?.event?.data).toHaveLength(0);
  });

  it('accepts stream and type names beyond ASCII and of more than 300 characters', async () => {
    const stream = newStream(`Länder/漢字 %20 ${'x'.repeat(300)}`);
    await append(stream, [event({}, `Ereignis ${'y'.repeat(300)}`)], NO_STREAM);
    const [resolved] = await collect(store.client.readStream(stream));
    expect(resolved?.event).toMatchObject({ streamId: stream, type: `Ereignis ${'y'.repeat(300)}` });
  });

  it.each([
    { name: 'one event', sizes: [LIMIT] },
    { name: 'several events', sizes: [400_000, 400_000, LIMIT - 800_000] },
  ])('accepts 1,048,576 bytes of data in $name, and rejects more', async ({ sizes }) => {
    const stream = newStream();
    const send = (bytes: readonly number[]) =>
      store.client.appendToStream(
        stream,
        bytes.map((size) => binaryEvent({ type: 'Big', data: Buffer.alloc(size) })),
        options,
      );
    expect((await send(sizes)).success).toBe(true);
    const [first = 0, ...others] = sizes;
    for (const excess of [1, 4 * LIMIT]) {
      expect(await failureOf(send([...others, first + excess]))).toMatchObject({
        type: 'maximum-append-size-exceeded',
        maxAppendSize: LIMIT,
      });
    }
    expect(await collect(store.client.readStream(stream))).toHaveLength(sizes.length);
  });

  it('counts neither types nor metadata against the maximum append size', async () => {
    const stream = newStream();
    const big = binaryEvent({ type: 'T'.repeat(500), data: Buffer.alloc(LIMIT), metadata: Buffer.alloc(10_000) });
    expect((await store.client.appendToStream(stream, big, options)).success).toBe(true);
    const [resolved] = await collect(store.client.readStream(stream));
    expect([resolved?.event?.data, resolved?.event?.metadata].map((bytes) => (bytes as Uint8Array).length)).toEqual([
      LIMIT,
      10_000,
    ]);
  });

  itOfEmbeddedStore('rejects an append of more than 16 MiB in total (embedded store only)', async () => {
    const stream = newStream();
    const send = (count: number) =>
      store.client.appendToStream(
        stream,
        Array.from({ length: count }, () =>
          binaryEvent({ type: 'Big', data: Buffer.alloc(0), metadata: Buffer.alloc(LIMIT) }),
        ),
        options,
      );
    expect((await send(15)).success).toBe(true);
    expect(await failureOf(send(16))).toMatchObject({ type: 'maximum-append-size-exceeded' });
    expect(await collect(store.client.readStream(stream))).toHaveLength(15);
  });

  it('does not write when the deadline has passed', async () => {
    const stream = newStream();
    const late = store.client.appendToStream(stream, events(1), { ...options, deadline: -1_000 });
    expect(await failureOf(late)).toMatchObject({ type: 'deadline-exceeded' });
    expect(await failureOf(collect(store.client.readStream(stream)))).toMatchObject({ type: 'stream-not-found' });
  });

  it('accepts an empty append only at the current revision', async () => {
    const stream = newStream();
    await append(stream, events(2), NO_STREAM);
    expect((await append(stream, [], 1n)).success).toBe(true);
    expect(await failureOf(append(stream, [], 0n))).toMatchObject({ type: 'wrong-expected-version' });
  });
});

describe('appending in batches', () => {
  it('joins an append that arrives in many messages', async () => {
    const stream = newStream();
    const result = await store.client.appendToStream(stream, events(1_000), { batchAppendSize: 1_024 });
    expect(result.nextExpectedRevision).toBe(999n);
  });

  it('answers each of many concurrent appends with its own result', async () => {
    const streams = Array.from({ length: 200 }, () => newStream());
    const outcomes = await Promise.allSettled(
      streams.flatMap((stream) => [
        store.client.appendToStream(stream, events(1), { expectedRevision: NO_STREAM }),
        store.client.appendToStream(stream, events(1), { expectedRevision: 0n }),
        store.client.appendToStream(stream, events(1), { expectedRevision: 9n }),
      ]),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(400);
    expect(outcomes.filter((_, index) => index % 3 === 2).every(({ status }) => status === 'rejected')).toBe(true);
  });

  it('returns increasing positions', async () => {
    const stream = newStream();
    const positions: bigint[] = [];
    for (let number = 0; number < 20; number += 1) {
      const { position } = await store.client.appendToStream(stream, event({ number }));
      positions.push(position?.commit ?? -1n);
    }
    expect(positions).toEqual([...new Set(positions)].sort((a, b) => (a < b ? -1 : 1)));
  });
});
