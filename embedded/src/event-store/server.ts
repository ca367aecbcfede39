/** Opens a store's directory and serves it over gRPC. */
import { type handleUnaryCall, Server, ServerCredentials, type ServiceDefinition } from '@grpc/grpc-js';
import type { AppendLimits } from './batch-append.ts';
import { clusterOfOne, supportedMethods } from './node-info.ts';
import { decoder } from './protocol.ts';
import { ReadService } from './read.ts';
import { streamsService } from './service.ts';
import { openStore, type StoreOptions } from './store.ts';

export interface EventStoreOptions extends StoreOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host?: string;
  /** Bytes of one append. */
  readonly maxAppendSize?: number;
}

export interface RunningEventStore {
  readonly port: number;
  /** Finishes what was handed in, then closes. */
  stop(): Promise<void>;
}

const LIMITS: AppendLimits = { maxAppendSize: 1024 * 1024, writeTimeout: 10_000 };
/** Larger than what is refused as an append too large, so that the refusal can be told. */
const MAX_MESSAGE = 17 * 1024 * 1024;
/** For the last answers to leave. */
const STOP_GRACE_MS = 250;

export async function startEventStore(options: EventStoreOptions): Promise<RunningEventStore> {
  const { host = '127.0.0.1' } = options;
  const store = await openStore(options);
  const limits = { ...LIMITS, ...(options.maxAppendSize && { maxAppendSize: options.maxAppendSize }) };

  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE,
    'grpc.max_send_message_length': MAX_MESSAGE,
  });
  let port = 0;
  const cluster = clusterOfOne(host);
  server.addService(STREAMS, { ...streamsService(store.writer, new ReadService(store.index, store.streams), limits) });
  server.addService(unaryService('event_store.client.server_features.ServerFeatures', 'GetSupportedMethods'), {
    getSupportedMethods: ((_call, answer) => answer(null, supportedMethods())) as handleUnaryCall<unknown, Buffer>,
  });
  server.addService(unaryService('event_store.client.gossip.Gossip', 'Read'), {
    read: ((_call, answer) => answer(null, cluster(port))) as handleUnaryCall<unknown, Buffer>,
  });
  async function stop(): Promise<void> {
    await store.writer.close();
    await shutDown(server);
    await store.close();
  }
  try {
    port = await bind(server, `${host}:${options.port}`);
  } catch (error) {
    await stop();
    throw new Error(`cannot listen on ${host}:${options.port}: ${String(error)}`);
  }
  return { port, stop };
}

function bind(server: Server, address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
      if (error) reject(error);
      else resolve(port);
    });
  });
}

/** Subscriptions and batch streams never end by themselves: they are cut when the answers under way have left. */
function shutDown(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, STOP_GRACE_MS);
    server.tryShutdown(() => {
      clearTimeout(cut);
      resolve();
    });
  });
}

const asSent = (bytes: Buffer) => bytes;

function method(path: string, decode: (bytes: Buffer) => unknown, requestStream: boolean, responseStream: boolean) {
  return {
    path,
    requestStream,
    responseStream,
    requestSerialize: () => Buffer.alloc(0),
    requestDeserialize: decode,
    responseSerialize: asSent,
    responseDeserialize: asSent,
  };
}

const STREAMS_PATH = '/event_store.client.streams.Streams';
const STREAMS: ServiceDefinition = {
  read: method(`${STREAMS_PATH}/Read`, decoder('ReadReq'), false, true),
  append: method(`${STREAMS_PATH}/Append`, decoder('AppendReq'), true, false),
  batchAppend: method(`${STREAMS_PATH}/BatchAppend`, decoder('BatchAppendReq'), true, true),
  delete: method(`${STREAMS_PATH}/Delete`, decoder('DeleteReq'), false, false),
  tombstone: method(`${STREAMS_PATH}/Tombstone`, decoder('DeleteReq'), false, false),
};

function unaryService(service: string, name: string): ServiceDefinition {
  const key = name.charAt(0).toLowerCase() + name.slice(1);
  return { [key]: method(`/${service}/${name}`, decoder('Empty'), false, false) };
}
