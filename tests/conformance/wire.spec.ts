/**
 * Tests requests that the official Node client does not send: those of clients in other languages, and malformed calls.
 */
import { randomUUID } from 'node:crypto';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import services from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announcedSeed, random } from './seed.ts';
import { event, events, itOfEmbeddedStore, newStream, useStore } from './target.ts';

const store = useStore({ requiresPassword: false });
const address = () => new URL(store.url.replace('esdb:', 'http:')).host;
const { Empty } = shared;
const { ReadReq, BatchAppendReq } = streams;
type ReadResp = InstanceType<typeof streams.ReadResp>;
type Options = InstanceType<typeof ReadReq.Options>;

describe('the store, for requests that the Node client does not send', () => {
  let client: InstanceType<typeof services.StreamsClient>;
  beforeAll(() => {
    client = new services.StreamsClient(address(), grpc.credentials.createInsecure());
  });
  afterAll(() => client.close());

  function read(change: (options: Options) => void): Promise<ReadResp[]> {
    const options = new ReadReq.Options();
    const uuids = new ReadReq.Options.UUIDOption();
    uuids.setString(new Empty());
    options.setUuidOption(uuids);
    options.setNoFilter(new Empty());
    options.setCount('1000');
    change(options);
    const request = new ReadReq();
    request.setOptions(options);
    return new Promise((resolve, reject) => {
      const responses: ReadResp[] = [];
      client
        .read(request)
        .on('data', (response: ReadResp) => responses.push(response))
        .on('error', reject)
        .on('end', () => resolve(responses));
    });
  }

  function selectStream(options: Options, stream: string): void {
    const identifier = new shared.StreamIdentifier();
    identifier.setStreamName(Buffer.from(stream));
    const from = new ReadReq.Options.StreamOptions();
    from.setStreamIdentifier(identifier);
    from.setStart(new Empty());
    options.setStream(from);
  }

  function selectAll(options: Options): void {
    const from = new ReadReq.Options.AllOptions();
    from.setStart(new Empty());
    options.setAll(from);
  }

  it('returns ids as two numbers', async () => {
    const stream = newStream();
    const ids = ['ffffffff-ffff-4fff-bfff-ffffffffffff', '00000000-0000-4000-8000-000000000001', randomUUID()];
    await store.client.appendToStream(
      stream,
      ids.map((id) => event({}, 'Happened', id)),
    );
    const responses = await read((options) => {
      selectStream(options, stream);
      const uuids = new ReadReq.Options.UUIDOption();
      uuids.setStructured(new Empty());
      options.setUuidOption(uuids);
    });
    const hex = (bits: string | undefined) =>
      BigInt.asUintN(64, BigInt(bits ?? 0))
        .toString(16)
        .padStart(16, '0');
    const hexIds = responses.map((response) => {
      const id = response.getEvent()?.getEvent()?.getId()?.getStructured();
      return hex(id?.getMostSignificantBits()) + hex(id?.getLeastSignificantBits());
    });
    expect(hexIds).toEqual(ids.map((id) => id.replaceAll('-', '')));
    expect(responses[2]?.getEvent()?.getEvent()?.getStreamRevision()).toBe('2');
  });

  it('filters $all in a read that is no subscription', async () => {
    const type = `Type${randomUUID()}`;
    for (let round = 0; round < 3; round += 1) {
      await store.client.appendToStream(newStream(), [event({}, type), ...events(20, 'Other')]);
    }
    for (const direction of [0, 1] as const) {
      const responses = await read((options) => {
        selectAll(options);
        if (direction === 1) options.getAll()?.setEnd(new Empty());
        options.setReadDirection(direction);
        const filter = new ReadReq.Options.FilterOptions();
        const expression = new ReadReq.Options.FilterOptions.Expression();
        expression.setPrefixList([type]);
        filter.setEventType(expression);
        filter.setMax(8);
        filter.setCheckpointintervalmultiplier(1);
        options.setFilter(filter);
      });
      expect(responses.filter((response) => response.hasEvent())).toHaveLength(3);
    }
  });

  it('returns the last revision to clients that request it', async () => {
    const stream = newStream();
    await store.client.appendToStream(stream, events(5));
    const responses = await read((options) => {
      selectStream(options, stream);
      const control = new ReadReq.Options.ControlOption();
      control.setCompatibility(1);
      options.setControlOption(control);
    });
    expect(responses.at(-1)?.getLastStreamPosition()).toBe('4');
  });

  it('rejects a read without a stream', async () => {
    await expect(read(() => undefined)).rejects.toMatchObject({ code: grpc.status.INVALID_ARGUMENT });
  });

  itOfEmbeddedStore('rejects a read without an id format (embedded store only)', async () => {
    const attempt = read((options) => {
      selectStream(options, newStream());
      options.clearUuidOption();
    });
    await expect(attempt).rejects.toMatchObject({ code: grpc.status.INVALID_ARGUMENT });
  });

  const uuid = (most: string, least: string) => {
    const id = new shared.UUID();
    const numbers = new shared.UUID.Structured();
    numbers.setMostSignificantBits(most);
    numbers.setLeastSignificantBits(least);
    id.setStructured(numbers);
    return id;
  };

  function appendRequest(correlationId: string, stream?: string): InstanceType<typeof BatchAppendReq> {
    const request = new BatchAppendReq();
    request.setCorrelationId(uuid('7', correlationId));
    if (stream === undefined) return request;
    const options = new BatchAppendReq.Options();
    const identifier = new shared.StreamIdentifier();
    identifier.setStreamName(Buffer.from(stream));
    options.setStreamIdentifier(identifier);
    options.setAny(new Empty() as never);
    request.setOptions(options);
    return request;
  }

  function addMessage(request: InstanceType<typeof BatchAppendReq>, least: string, type: string): void {
    const message = new BatchAppendReq.ProposedMessage();
    message.setId(uuid('-1', least));
    message.getMetadataMap().set('type', type).set('content-type', 'application/json');
    request.addProposedMessages(message);
  }

  /** Sends the requests in one call, and returns all answers. */
  const append = (...requests: InstanceType<typeof BatchAppendReq>[]) =>
    new Promise<InstanceType<typeof streams.BatchAppendResp>[]>((resolve, reject) => {
      const answers: InstanceType<typeof streams.BatchAppendResp>[] = [];
      const call = client.batchAppend();
      call.on('data', (answer) => answers.push(answer)).on('error', reject);
      call.on('end', () => resolve(answers));
      for (const request of requests) call.write(request);
      call.end();
    });

  it('accepts ids as two numbers in an append', async () => {
    const stream = newStream();
    const request = appendRequest('-9', stream);
    addMessage(request, '1', 'Happened');
    request.setIsFinal(true);
    const [answer] = await append(request);
    expect(answer?.getCorrelationId()?.getStructured()?.getLeastSignificantBits()).toBe('-9');
    expect(answer?.getSuccess()?.getCurrentRevision()).toBe('0');
    for await (const { event: found } of store.client.readStream(stream)) {
      expect(found?.id).toBe('ffffffff-ffff-ffff-0000-000000000001');
    }
  });

  itOfEmbeddedStore('answers an append once if one of its events is invalid', async () => {
    const stream = newStream();
    const invalid = appendRequest('1', stream);
    addMessage(invalid, '1', '');
    const last = appendRequest('1');
    addMessage(last, '2', 'Happened');
    last.setIsFinal(true);
    const next = appendRequest('2', stream);
    addMessage(next, '3', 'Happened');
    next.setIsFinal(true);
    const answers = await append(invalid, last, next);
    const ids = answers.map((answer) => answer.getCorrelationId()?.getStructured()?.getLeastSignificantBits());
    expect(ids).toEqual(['1', '2']);
    expect(answers[1]?.getSuccess()?.getCurrentRevision()).toBe('0');
  });
});

describe('gRPC calls', () => {
  let session: ClientHttp2Session;
  beforeAll(() => {
    session = connectHttp2(`http://${address()}`);
  });
  afterAll(() => session.close());

  const frame = (message: Uint8Array, compressed = 0) => {
    const prefix = Buffer.alloc(5);
    prefix[0] = compressed;
    prefix.writeUInt32BE(message.length, 1);
    return Buffer.concat([prefix, message]);
  };

  /** Sends the pieces one by one; returns the status and the body of the response. */
  function call(path: string, pieces: readonly Buffer[]): Promise<{ status: string; body: Buffer }> {
    return new Promise((resolve, reject) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      const body: Buffer[] = [];
      let status = '';
      const recordHeaders = (headers: Record<string, unknown>) => {
        if ('grpc-status' in headers) status = String(headers['grpc-status']);
      };
      stream.on('response', recordHeaders);
      stream.on('trailers', recordHeaders);
      stream.on('data', (chunk: Buffer) => body.push(chunk));
      stream.on('error', reject);
      stream.on('close', () => resolve({ status, body: Buffer.concat(body) }));
      for (const piece of pieces) stream.write(piece);
      stream.end();
    });
  }

  const STREAMS = '/event_store.client.streams.Streams';

  function appendRequest(stream: string, count: number): Buffer {
    const identifier = new shared.StreamIdentifier();
    identifier.setStreamName(Buffer.from(stream));
    const options = new streams.AppendReq.Options();
    options.setStreamIdentifier(identifier);
    options.setNoStream(new Empty());
    const head = new streams.AppendReq();
    head.setOptions(options);
    const messages = Array.from({ length: count }, (_, number) => {
      const id = new shared.UUID();
      id.setString(randomUUID());
      const message = new streams.AppendReq.ProposedMessage();
      message.setId(id);
      message.getMetadataMap().set('type', 'Happened').set('content-type', 'application/json');
      message.setData(Buffer.from(JSON.stringify({ number, text: 'x'.repeat(number * 7) })));
      const request = new streams.AppendReq();
      request.setProposedMessage(message);
      return request;
    });
    return Buffer.concat([head, ...messages].map((message) => frame(message.serializeBinary())));
  }

  it('may be split into pieces at any byte', async () => {
    const chance = random(announcedSeed('wire'));
    for (let run = 0; run < 20; run += 1) {
      const stream = newStream();
      const whole = appendRequest(stream, 30);
      const pieces: Buffer[] = [];
      for (let offset = 0; offset < whole.length; ) {
        const length = 1 + Math.floor(chance() ** 3 * 900);
        pieces.push(whole.subarray(offset, offset + length));
        offset += length;
      }
      expect((await call(`${STREAMS}/Append`, pieces)).status).toBe('0');
      let number = 0;
      for await (const { event: found } of store.client.readStream(stream)) {
        expect(found?.data).toEqual({ number, text: 'x'.repeat(number * 7) });
        number += 1;
      }
      expect(number).toBe(30);
    }
  });

  const UNKNOWN_METHOD = '/event_store.client.Nothing/Do';
  /** An append that is valid except for its first message, which claims to be compressed. */
  const compressed = appendRequest(newStream(), 1);
  compressed[0] = 1;
  const malformed = [
    { name: 'send a compressed message', path: `${STREAMS}/Append`, pieces: [compressed], status: 12 },
    { name: 'send an append without options', path: `${STREAMS}/Append`, pieces: [], status: 3 },
    {
      name: 'send a deletion without options',
      path: `${STREAMS}/Delete`,
      pieces: [frame(Buffer.alloc(0))],
      status: 3,
    },
  ];

  it.each(malformed)('that $name are rejected', async ({ path, pieces }) => {
    expect(Number((await call(path, pieces)).status)).toBeGreaterThan(0);
  });

  itOfEmbeddedStore.each([
    ...malformed,
    { name: 'request an unknown method', path: UNKNOWN_METHOD, pieces: [frame(Buffer.alloc(0))], status: 12 },
  ])('that $name end with status $status (embedded store only)', async ({ path, pieces, status }) => {
    expect((await call(path, pieces)).status).toBe(String(status));
  });

  it('of an unknown method end with the code UNIMPLEMENTED', async () => {
    const client = new grpc.Client(address(), grpc.credentials.createInsecure());
    const unchanged = (bytes: Buffer) => bytes;
    const answer = new Promise((resolve, reject) => {
      client.makeUnaryRequest(UNKNOWN_METHOD, unchanged, unchanged, Buffer.alloc(0), (error, found) =>
        error ? reject(error) : resolve(found),
      );
    });
    await expect(answer).rejects.toMatchObject({ code: grpc.status.UNIMPLEMENTED });
    client.close();
  });

  it.each([Buffer.alloc(300, 0xff), Buffer.from('GET / HTTP/1.1'), Buffer.alloc(64)])(
    'end with an error for invalid bytes, and do not affect other calls',
    async (rubbish) => {
      for (const name of ['Append', 'Read', 'Delete', 'Tombstone']) {
        const { status } = await call(`${STREAMS}/${name}`, [frame(rubbish)]);
        expect(Number(status)).toBeGreaterThan(0);
      }
      expect((await store.client.appendToStream(newStream(), events(1))).success).toBe(true);
    },
  );
});
