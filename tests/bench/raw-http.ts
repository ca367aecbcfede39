/** A minimal HTTP/1.1 client with persistent connections, so that the measurement is not distorted by the client. */
import { connect, type Socket } from 'node:net';

const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** A connection with one request at a time. `send` rejects if the response is not a 200 with a Content-Length. */
class Lane {
  readonly #socket: Socket;
  #resolve: ((body: Buffer) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  #received: Buffer[] = [];
  /** The number of bytes of the current response with its head; infinite until the head is read. */
  #expected = Number.POSITIVE_INFINITY;
  #headLength = 0;
  #receivedLength = 0;

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error) => this.#reject?.(error));
    this.#socket.on('close', () => this.#reject?.(new Error('The connection was closed')));
  }

  send(request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#socket.write(request);
    });
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk);
    this.#receivedLength += chunk.length;
    if (this.#expected === Number.POSITIVE_INFINITY) this.#readHead();
    if (this.#receivedLength < this.#expected) return;
    const body = Buffer.concat(this.#received).subarray(this.#headLength);
    this.#received = [];
    this.#receivedLength = 0;
    this.#expected = Number.POSITIVE_INFINITY;
    this.#resolve?.(body);
  }

  #readHead(): void {
    const whole = this.#received.length === 1 ? (this.#received[0] as Buffer) : Buffer.concat(this.#received);
    const end = whole.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const head = whole.toString('latin1', 0, end);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (!head.startsWith('HTTP/1.1 200') || length === undefined) {
      this.#reject?.(new Error(whole.toString()));
      return;
    }
    this.#headLength = end + END_OF_HEAD.length;
    this.#expected = this.#headLength + Number(length);
  }

  close(): void {
    this.#reject = undefined;
    this.#socket.destroy();
  }
}

export interface RawCaller {
  /** Sends a request on the connection with the index `lane`; returns the body of the response. */
  send(lane: number, request: Buffer): Promise<Buffer>;
  close(): void;
}

export function rawCaller(port: number, lanes: number): RawCaller {
  const connections = Array.from({ length: lanes }, () => new Lane(port));
  return {
    send: (lane, request) => (connections[lane] as Lane).send(request),
    close() {
      for (const connection of connections) connection.close();
    },
  };
}

export function rawRequest(method: string, path: string, headers: Record<string, string>, body = ''): Buffer {
  const length = body === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  const lines = Object.entries({ Host: '127.0.0.1', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}
