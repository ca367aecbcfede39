/**
 * The subset of gRPC over HTTP/2 that this store serves: calls by path, length-prefixed messages both ways, a status at the
 * end. It replaces a general server because messages that are sent in the same turn can then share one frame: with thousands of
 * small answers a second, frames and writes are the main cost on both sides.
 */
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

/** The status codes in use. */
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

/** The error status of a call; the trailers name the exception for the official clients. */
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

/** Larger than any allowed append, so that a larger one can be refused with an error. */
const MAX_MESSAGE = 17 * 1024 * 1024;
const WINDOW = 4 * 1024 * 1024;
const PREFIX = 5;
/** Messages that wait for the end of the turn are sent at once when they reach this many bytes. */
const CHUNK = 64 * 1024;

/** One call, both ways. */
export class Call {
  readonly #stream: ServerHttp2Stream;
  readonly #closed = new AbortController();
  #outgoing: Buffer[] = [];
  #outgoingBytes = 0;
  #ended = false;

  /** When the client gives up, in milliseconds since the epoch. */
  readonly expiresAt: number;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.#stream = stream;
    this.expiresAt = Date.now() + timeout(headers['grpc-timeout']);
    // A stream that breaks also closes, and its call is over: the error needs no handling.
    stream.on('error', () => undefined);
    stream.on('close', () => this.#closed.abort());
  }

  /** Aborted when the call is over, for any reason. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Calls `message` for each message as it arrives, then `end`. A message that cannot be handled ends the call at once. */
  receive(message: (bytes: Buffer) => void, end: () => void): void {
    const messages = new MessageParser();
    this.#stream.on('data', (chunk: Buffer) => {
      try {
        for (const bytes of messages.push(chunk)) if (!this.#isOver) message(bytes);
      } catch (error) {
        this.fail(error);
      }
    });
    this.#stream.on('end', () => {
      if (!this.#isOver) end();
    });
  }

  get #isOver(): boolean {
    return this.#ended || this.#stream.destroyed || this.#stream.closed;
  }

  /** Reads no further message from the client until `resume`. */
  pause(): void {
    this.#stream.pause();
  }

  resume(): void {
    this.#stream.resume();
  }

  /** Returns false when the client does not keep up: then await `drained`. */
  send(message: Buffer): boolean {
    if (this.#isOver) return true;
    this.#outgoing.push(message);
    this.#outgoingBytes += PREFIX + message.length;
    if (this.#outgoingBytes >= CHUNK) this.#flush();
    else if (this.#outgoing.length === 1) queueMicrotask(() => this.#flush());
    return !this.#stream.writableNeedDrain;
  }

  /** Resolves when the client can receive again, or is gone. */
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

  /** Ends the call with an error's status. */
  fail(error: unknown): void {
    const { code, message, trailers } =
      error instanceof CallError
        ? error
        : new CallError(status.INTERNAL, error instanceof Error ? error.message : String(error));
    // Headers are ASCII; other values are percent-encoded.
    const readable = Object.entries(trailers).map(([key, value]) => [
      key,
      /^[ -~]*$/.test(value) ? value : encodeURI(value),
    ]);
    this.#end({ ...Object.fromEntries(readable), 'grpc-status': String(code), 'grpc-message': encodeURI(message) });
  }

  #end(trailers: Record<string, string>): void {
    if (this.#isOver) return;
    this.#flush();
    this.#ended = true;
    if (this.#stream.headersSent) {
      this.#stream.once('wantTrailers', () => this.#stream.sendTrailers(trailers));
      this.#stream.end();
    } else {
      this.#stream.respond({ ...RESPONSE, ...trailers }, { endStream: true });
    }
    // Ignore what else the client sends.
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

function timeout(header: string | string[] | undefined): number {
  const [, amount, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(String(header)) ?? [];
  return amount === undefined ? Number.POSITIVE_INFINITY : Number(amount) * (UNITS[unit] ?? 0);
}

const RESPONSE = { ':status': 200, 'content-type': 'application/grpc+proto', 'grpc-accept-encoding': 'identity' };

/** Splits the incoming bytes into messages. */
class MessageParser {
  #chunks: Buffer[] = [];
  #size = 0;
  #wanted = PREFIX;

  *push(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#wanted) return;
    let bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    for (;;) {
      this.#wanted = bytes.length < PREFIX ? PREFIX : PREFIX + messageLength(bytes);
      if (bytes.length < this.#wanted) break;
      yield bytes.subarray(PREFIX, this.#wanted);
      bytes = bytes.subarray(this.#wanted);
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

const PASSWORD_MISSING = 'This event store requires its password, as connectionName in the connection string';

export type Handler = (call: Call) => void;

export class GrpcServer {
  readonly #server: Http2Server = createServer({
    settings: { initialWindowSize: WINDOW },
    // The memory of a call is bounded by its window and by waiting for `drained`.
    maxSessionMemory: Number.MAX_SAFE_INTEGER,
  });
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #calls = new Set<Call>();

  /** Paths are `/package.Service/Method`. A call that `isAllowed` rejects ends with UNAUTHENTICATED. */
  constructor(
    handlers: ReadonlyMap<string, Handler>,
    isAllowed: (path: string, headers: IncomingHttpHeaders) => boolean = () => true,
  ) {
    this.#server.on('session', (session) => {
      this.#sessions.add(session);
      session.setLocalWindowSize(WINDOW);
      session.on('close', () => this.#sessions.delete(session));
      // A broken connection ends its calls: nothing else has to be done.
      session.on('error', () => undefined);
    });
    this.#server.on('stream', (stream, headers) => {
      const call = new Call(stream, headers);
      this.#calls.add(call);
      call.closed.addEventListener('abort', () => this.#calls.delete(call));
      const path = headers[':path'] ?? '';
      if (isAllowed(path, headers)) serve(call, path, handlers);
      else call.fail(new CallError(status.UNAUTHENTICATED, PASSWORD_MISSING));
    });
  }

  /** Returns the port, which differs from `port` if that is 0. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  /** Accepts no more calls and, after the grace period, ends the open ones: subscriptions never end by themselves. */
  async close(graceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const session of this.#sessions) session.close();
    const cut = setTimeout(() => {
      for (const call of this.#calls) call.fail(new CallError(status.UNAVAILABLE, 'The event store is shutting down'));
    }, graceMs);
    const destroy = setTimeout(() => {
      for (const session of this.#sessions) session.destroy();
    }, 2 * graceMs);
    await closed;
    clearTimeout(cut);
    clearTimeout(destroy);
  }
}

function serve(call: Call, path: string, handlers: ReadonlyMap<string, Handler>): void {
  const handler = handlers.get(path);
  if (handler) handler(call);
  else call.fail(new CallError(status.UNIMPLEMENTED, `This event store does not implement the method ${path}`));
}

/** Handles a call with one message each way. */
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
