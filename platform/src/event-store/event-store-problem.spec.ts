/** Specifies how errors of the official client are described to an operator. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createSecureServer, createServer, type OutgoingHttpHeaders } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { connectEventStore } from './connect-event-store.ts';
import { UnknownOutcome } from './event-store.ts';
import { describeOldStore, describeStoreProblem } from './event-store-problem.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Returns the error with which the client fails to read `$all`. */
async function readError(address: string): Promise<unknown> {
  const store = connectEventStore(address);
  cleanups.push(() => store.close());
  return store.head().then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Starts a server and resolves with its port. */
async function listen(server: Server): Promise<number> {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

/** Starts a server without TLS that answers each call only with these headers. */
function startAnsweringServer(headers: OutgoingHttpHeaders): Promise<number> {
  const server = createServer();
  server.on('stream', (stream) => stream.respond(headers, { endStream: true }));
  return listen(server);
}

const grpcHeaders = (code: number, exception?: string): OutgoingHttpHeaders => ({
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-status': String(code),
  ...(exception && { exception }),
});

const DAY_MS = 86_400_000;

/** Starts a server with a self-signed certificate for the host `event-store`, and writes that certificate to a file. */
async function startTlsServer(daysLeft = 1): Promise<{ port: number; caFile: string }> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const cert = selfSigned(publicKey, privateKey, new Date(Date.now() + daysLeft * DAY_MS));
  const folder = mkdtempSync(join(tmpdir(), 'rdm-problem-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const caFile = join(folder, 'ca.crt');
  writeFileSync(caFile, cert);
  return { port: await listen(createSecureServer({ cert, key: pem(privateKey) })), caFile };
}

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' });

function selfSigned(publicKey: KeyObject, privateKey: KeyObject, until: Date): string {
  const der = (tag: number, ...parts: Buffer[]) => {
    const body = Buffer.concat(parts);
    const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
    return Buffer.concat([Buffer.from([tag, ...length]), body]);
  };
  const time = (date: Date) => der(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/\D/g, '')}Z`));
  const algorithm = Buffer.from('300506032b6570', 'hex');
  const name = der(0x30, der(0x31, der(0x30, Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from('event-store')))));
  const validity = der(0x30, time(new Date(until.getTime() - 10 * DAY_MS)), time(until));
  const key = publicKey.export({ type: 'spki', format: 'der' });
  const certificateBody = der(0x30, der(0x02, Buffer.from([1])), algorithm, name, validity, name, key);
  const signature = der(0x03, Buffer.from([0]), sign(null, certificateBody, privateKey));
  const base64 = der(0x30, certificateBody, algorithm, signature).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;
}

describe('describeStoreProblem', () => {
  it('describes a host that cannot be resolved', async () => {
    const error = await readError('esdb://store.invalid:2113?tls=false');
    expect(describeStoreProblem(error)).toMatch(/^A host name of the event store is unknown here: /);
  });

  it('describes a port on which nothing listens', async () => {
    const error = await readError('esdb://127.0.0.1:1?tls=false');
    expect(describeStoreProblem(error)).toMatch(/^Nothing listens at the address/);
  });

  it('describes a cluster without a node that answers', async () => {
    const error = await readError('esdb://127.0.0.1:1,127.0.0.1:2?tls=false&maxDiscoverAttempts=1');
    expect(describeStoreProblem(error)).toMatch(/^No node of the event store cluster was found: /);
  });

  it('describes a server without TLS', async () => {
    const error = await readError(`esdb://127.0.0.1:${await startAnsweringServer(grpcHeaders(0))}`);
    expect(describeStoreProblem(error)).toMatch(/^The event store answers without TLS: add tls=false/);
  });

  it('describes a server that requires TLS', async () => {
    const { port } = await startTlsServer();
    const error = await readError(`esdb://127.0.0.1:${port}?tls=false`);
    expect(describeStoreProblem(error)).toMatch(
      /^The event store closes connections before it answers: remove tls=false/,
    );
  });

  it.each([
    ['closes each connection', 'false', () => createTcpServer((socket) => socket.destroy())],
    ['closes each connection', 'true', () => createTcpServer((socket) => socket.destroy())],
    ['resets each connection', 'false', () => createTcpServer((socket) => socket.resetAndDestroy())],
    ['speaks HTTP/1.1', 'false', () => createHttpServer()],
  ])('describes a port that %s, with tls=%s', async (_, tls, create) => {
    const error = await readError(`esdb://127.0.0.1:${await listen(create())}?tls=${tls}`);
    expect(describeStoreProblem(error)).toMatch(/^The event store closes connections before it answers: /);
  });

  it('describes a certificate of another CA', async () => {
    const [{ port }, { caFile }] = [await startTlsServer(), await startTlsServer()];
    for (const options of ['', `?tlsCAFile=${caFile}`]) {
      const error = await readError(`esdb://127.0.0.1:${port}${options}`);
      expect(describeStoreProblem(error)).toMatch(/^The certificate of the event store is not trusted here: /);
    }
  });

  it('describes a certificate for another host', async () => {
    const { port, caFile } = await startTlsServer();
    const error = await readError(`esdb://127.0.0.1:${port}?tlsCAFile=${caFile}`);
    expect(describeStoreProblem(error)).toMatch(/^The certificate of the event store names other hosts: /);
  });

  it('describes a certificate that has expired', async () => {
    const { port, caFile } = await startTlsServer(-1);
    const error = await readError(`esdb://127.0.0.1:${port}?tlsCAFile=${caFile}`);
    expect(describeStoreProblem(error)).toMatch(/^The certificate of the event store is not valid at this time: /);
  });

  it.each([
    ['connect EHOSTUNREACH 10.0.0.1:2113', 'The host of the event store cannot be reached'],
    ['connect ENETUNREACH 10.0.0.1:2113', 'The host of the event store cannot be reached'],
    ['connect ETIMEDOUT 10.0.0.1:2113', 'The host of the event store cannot be reached'],
    ['unable to verify the first certificate', 'The certificate of the event store is not trusted here'],
    ['unable to get local issuer certificate', 'The certificate of the event store is not trusted here'],
    ['self-signed certificate in certificate chain', 'The certificate of the event store is not trusted here'],
    ['certificate is not yet valid', 'The certificate of the event store is not valid at this time'],
    // Other versions of OpenSSL report this instead of "wrong version number".
    ['error:0A0000C6:SSL routines::packet length too long', 'The event store answers without TLS'],
  ])('describes the error “%s” of Node.js', (reason, words) => {
    const message = `14 UNAVAILABLE: No connection established. Last error: Error: ${reason}. Resolution note: `;
    expect(describeStoreProblem(Object.assign(new Error(message), { code: 14 }))).toContain(`${words}: `);
  });

  it.each([
    ['HTTP status', { ':status': 401 }],
    ['gRPC status', grpcHeaders(16)],
  ])('describes a wrong user or password that is refused by %s', async (_, headers) => {
    const error = await readError(`esdb://127.0.0.1:${await startAnsweringServer(headers)}?tls=false`);
    expect(describeStoreProblem(error)).toMatch(/^The event store refuses the user and password of EVENTSTORE_URL: /);
  });

  it.each([undefined, 'access-denied'])(
    'describes the missing right to read $all, with exception %s',
    async (exception) => {
      const error = await readError(
        `esdb://127.0.0.1:${await startAnsweringServer(grpcHeaders(7, exception))}?tls=false`,
      );
      expect(describeStoreProblem(error)).toMatch(/account of EVENTSTORE_URL read \$all/);
    },
  );

  it('describes the missing right to append, also as the cause of an unknown outcome', () => {
    // The error of the client for a refused batch.
    const denied = Object.assign(new Error(''), { type: 'access-denied', code: undefined });
    expect(describeStoreProblem(denied)).toMatch(/account of EVENTSTORE_URL append: /);
    expect(describeStoreProblem(new UnknownOutcome('mappings-1', denied))).toBe(describeStoreProblem(denied));
  });

  it('returns undefined for a call that the store answers with UNAVAILABLE', async () => {
    const error = await readError(`esdb://127.0.0.1:${await startAnsweringServer(grpcHeaders(14))}?tls=false`);
    expect(error).toBeInstanceOf(Error);
    expect(describeStoreProblem(error)).toBeUndefined();
  });

  it.each([
    undefined,
    null,
    'Failed to discover after 10 attempts.',
    new Error('deadline'),
    // A connection that was reset during a call.
    Object.assign(new Error('14 UNAVAILABLE: read ECONNRESET'), { code: 14 }),
    // An error that the client of PostgreSQL throws.
    Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
  ])('returns undefined for other errors: %s', (error) => {
    expect(describeStoreProblem(error)).toBeUndefined();
  });
});

describe('describeOldStore', () => {
  it.each(['23.10.0', '23.10.6', '24.2.0', '24.10.0', '25.0.0', '100.1', '0.0.0', ''])(
    'accepts version "%s"',
    (version) => {
      expect(describeOldStore(version)).toBeUndefined();
    },
  );

  it.each([
    ['23.6.0', 'has version 23.6'],
    ['22.10.4', 'has version 22.10'],
    ['5.0.11', 'has version 5.0'],
    ['unknown', 'is too old to report its version'],
  ])('rejects version %s', (version, words) => {
    expect(describeOldStore(version)).toBe(`The event store ${words}: upgrade it to EventStoreDB 23.10 or later.`);
  });
});
