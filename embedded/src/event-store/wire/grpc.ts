/**
 * A server for the subset of gRPC over HTTP/2 that this store needs: calls by path, length-prefixed messages in both
 * directions, and a status at the end. Messages that one task sends are written together, because frames and writes are
 * the main cost of many small answers.
 */
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

/** The gRPC status codes that this store uses. */
export const status = {
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
} as const;

/** The error status of a call. For the official clients, the trailers contain the name of the exception. */
export class CallError extends Error {
  override readonly name = 'CallError';
  readonly code: number;
  readonly trailers: Readonly<Record<string, string>>;

  constructor(code: number, details: string, trailers: Readonly<Record<string, string>> = {}) {
    super(details);
    this.code = code;
    this.trailers = trailers;
  }
}

/**
 * Maximum size of a message. It exceeds the largest allowed append, so that a slightly too large append gets a precise
 * error.
 */
const MAX_MESSAGE = 17 * 1024 * 1024;
/** The HTTP/2 flow-control window of sessions and streams. */
const WINDOW = 4 * 1024 * 1024;
/** Length of the prefix of a message: a compression flag and the length of the message. */
const PREFIX = 5;
/** Collected messages are written at the latest when they reach this many bytes. */
const CHUNK = 64 * 1024;

/** One call, with its requests and responses. */
export class Call {
  readonly #stream: ServerHttp2Stream;
  readonly #closed = new AbortController();
  #outgoing: Buffer[] = [];
  #outgoingBytes = 0;
  #hasEnded = false;

  /** The deadline of the client, in milliseconds since the epoch; Infinity for none. */
  readonly expiresAt: number;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.#stream = stream;
    this.expiresAt = Date.now() + timeoutMs(headers['grpc-timeout']);
    // Ignore errors of the stream, because `close` follows each error and ends the call.
    stream.on('error', () => undefined);
    stream.on('close', () => this.#closed.abort());
  }

  /** Aborted when the call has ended for any reason. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Calls `onMessage` for each message when it arrives, then `onEnd`. An error of `onMessage` ends the call. */
  receive(onMessage: (bytes: Buffer) => void, onEnd: () => void): void {
    const parser = new MessageParser();
    this.#stream.on('data', (chunk: Buffer) => {
      try {
        for (const bytes of parser.push(chunk)) if (!this.#isOver) onMessage(bytes);
      } catch (error) {
        this.fail(error);
      }
    });
    this.#stream.on('end', () => {
      if (!this.#isOver) onEnd();
    });
  }

  get #isOver(): boolean {
    return this.#hasEnded || this.#stream.destroyed || this.#stream.closed;
  }

  /** Stops reading messages from the client until `resume`. */
  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** Sends a message. Returns false if the client reads too slowly; the caller must then wait for `drained`. */
  send(message: Buffer): boolean {
    if (this.#isOver) return true;
    this.#outgoing.push(message);
    this.#outgoingBytes += PREFIX + message.length;
    if (this.#outgoingBytes >= CHUNK) this.#flush();
    else if (this.#outgoing.length === 1) queueMicrotask(() => this.#flush());
    return !this.#stream.writableNeedDrain;
  }

  /** Resolves when the client can receive again or has disconnected. */
  drained(): Promise<void> {
    if (!this.#stream.writableNeedDrain || this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#stream.off('drain', done);
        this.#stream.off('close', done);
        resolve();
      };
      this.#stream.on('drain', done);
      this.#stream.on('close', done);
    });
  }

  /** Ends the call successfully. */
  end(): void {
    this.#end({ 'grpc-status': '0' });
  }

  /** Ends the call with the status of an error. */
  fail(error: unknown): void {
    const { code, message, trailers } =
      error instanceof CallError
        ? error
        : new CallError(status.INTERNAL, error instanceof Error ? error.message : String(error));
    // Percent-encode values that are not printable ASCII, because headers must be ASCII.
    const asciiTrailers = Object.entries(trailers).map(([key, value]) => [
      key,
      /^[ -~]*$/.test(value) ? value : encodeURI(value),
    ]);
    this.#end({
      ...Object.fromEntries(asciiTrailers),
      'grpc-status': String(code),
      'grpc-message': encodeURI(message),
    });
  }

  #end(trailers: Record<string, string>): void {
    if (this.#isOver) return;
    this.#flush();
    this.#hasEnded = true;
    if (this.#stream.headersSent) {
      this.#stream.once('wantTrailers', () => this.#stream.sendTrailers(trailers));
      this.#stream.end();
    } else {
      this.#stream.respond({ ...RESPONSE, ...trailers }, { endStream: true });
    }
    // Discard what the client still sends.
    this.#stream.resume();
  }

  #flush(): void {
    if (this.#outgoing.length === 0 || this.#isOver) return;
    const bytes = Buffer.allocUnsafe(this.#outgoingBytes);
    let offset = 0;
    for (const message of this.#outgoing) {
      bytes[offset] = 0;
      bytes.writeUInt32BE(message.length, offset + 1);
      bytes.set(message, offset + PREFIX);
      offset += PREFIX + message.length;
    }
    this.#outgoing = [];
    this.#outgoingBytes = 0;
    if (!this.#stream.headersSent) this.#stream.respond(RESPONSE, { waitForTrailers: true });
    this.#stream.write(bytes);
  }
}

/** Milliseconds of each unit in a `grpc-timeout`. */
const UNITS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

function timeoutMs(header: string | string[] | undefined): number {
  const [, amount, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(String(header)) ?? [];
  return amount === undefined ? Number.POSITIVE_INFINITY : Number(amount) * (UNITS[unit] ?? 0);
}

const RESPONSE = { ':status': 200, 'content-type': 'application/grpc+proto', 'grpc-accept-encoding': 'identity' };

/** Splits the incoming bytes into messages. */
class MessageParser {
  #chunks: Buffer[] = [];
  #size = 0;
  #neededBytes = PREFIX;

  *push(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#neededBytes) return;
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    for (;;) {
      this.#neededBytes = bytes.length < PREFIX ? PREFIX : PREFIX + messageLength(bytes);
      if (bytes.length < this.#neededBytes) break;
      yield bytes.subarray(PREFIX, this.#neededBytes);
      bytes = bytes.subarray(this.#neededBytes);
    }
    this.#chunks = bytes.length > 0 ? [bytes] : [];
    this.#size = bytes.length;
  }
}

function messageLength(bytes: Buffer): number {
  if (bytes[0] !== 0) throw new CallError(status.UNIMPLEMENTED, 'Compressed messages are not supported');
  const length = bytes.readUInt32BE(1);
  if (length > MAX_MESSAGE) {
    throw new CallError(status.RESOURCE_EXHAUSTED, `A message of ${length} bytes is larger than ${MAX_MESSAGE}`);
  }
  return length;
}

const PASSWORD_REQUIRED = 'This event store requires its password as connectionName in the connection string';

export type Handler = (call: Call) => void;

export class GrpcServer {
  readonly #server: Http2Server = createServer({
    settings: { initialWindowSize: WINDOW },
    // Set no limit per session, because the window and waiting for `drained` limit the memory of each call.
    maxSessionMemory: Number.MAX_SAFE_INTEGER,
  });
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #calls = new Set<Call>();

  /**
   * Handlers are keyed by path: `/package.Service/Method`. A call for which `isAllowed` is false ends with
   * UNAUTHENTICATED.
   */
  constructor(
    handlers: ReadonlyMap<string, Handler>,
    isAllowed: (path: string, headers: IncomingHttpHeaders) => boolean = () => true,
  ) {
    this.#server.on('session', (session) => {
      this.#sessions.add(session);
      session.setLocalWindowSize(WINDOW);
      session.on('close', () => this.#sessions.delete(session));
      // Ignore the error of a broken connection, because its calls end with errors of their streams.
      session.on('error', () => undefined);
    });
    this.#server.on('stream', (stream, headers) => {
      const call = new Call(stream, headers);
      this.#calls.add(call);
      call.closed.addEventListener('abort', () => this.#calls.delete(call));
      const path = headers[':path'] ?? '';
      if (isAllowed(path, headers)) serve(call, path, handlers);
      else call.fail(new CallError(status.UNAUTHENTICATED, PASSWORD_REQUIRED));
    });
  }

  /** Listens on `port`, or on a free port if `port` is 0. Resolves with the port. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  /** Accepts no more calls. Ends open calls after the grace period, because subscriptions never end by themselves. */
  async close(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const session of this.#sessions) session.close();
    const failTimer = setTimeout(() => {
      for (const call of this.#calls) call.fail(new CallError(status.UNAVAILABLE, 'The event store is shutting down'));
    }, graceMs);
    const destroyTimer = setTimeout(() => {
      for (const session of this.#sessions) session.destroy();
    }, 2 * graceMs);
    await closed;
    clearTimeout(failTimer);
    clearTimeout(destroyTimer);
  }
}

function serve(call: Call, path: string, handlers: ReadonlyMap<string, Handler>): void {
  const handler = handlers.get(path);
  if (handler) handler(call);
  else call.fail(new CallError(status.UNIMPLEMENTED, `This event store does not implement the method ${path}`));
}

/** Returns a handler for calls with one request and one response message. */
export function unary<Request>(
  decode: (bytes: Buffer) => Request,
  answer: (request: Request, call: Call) => Promise<Buffer> | Buffer,
): Handler {
  return (call) => {
    const respond = async (bytes: Buffer) => {
      try {
        call.send(await answer(decode(bytes), call));
        call.end();
      } catch (error) {
        call.fail(error);
      }
    };
    call.receive(respond, () => undefined);
  };
}
