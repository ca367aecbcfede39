/**
 * The reference of the translate benchmark: a bare Node server that queries Redis through the client library of Redis,
 * with one GET or MGET per request.
 */
import { createServer } from 'node:http';
import { createClient } from 'redis';

/** The number of keys per MSET when the store is filled. */
const KEYS_PER_MSET = 1_000;

const [storePort, mappings] = process.argv.slice(2).map(Number) as [number, number];
const store = createClient({ socket: { host: '127.0.0.1', port: storePort }, RESP: 2 });
store.on('error', (error: Error) => {
  console.error(error);
  process.exit(1);
});
await store.connect();
for (let from = 0; from < mappings; from += KEYS_PER_MSET) {
  const rows = Array.from({ length: Math.min(KEYS_PER_MSET, mappings - from) }, (_, index) => from + index);
  await store.mSet(rows.map((row): [string, string] => [`S${row}`, `T${row}`]));
}

const answerOf = (value: string, target: string | null | undefined) => ({
  value,
  results: target ? [{ targetValue: target }] : [],
});
const server = createServer(async (request, response) => {
  let body: unknown;
  if (request.method === 'GET') {
    const value = new URL(request.url ?? '', 'http://localhost').searchParams.get('value') ?? '';
    body = answerOf(value, await store.get(value));
  } else {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { values } = JSON.parse(Buffer.concat(chunks).toString()) as { values: string[] };
    const targets = await store.mGet(values);
    body = values.map((value, index) => answerOf(value, targets[index]));
  }
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': text.length });
  response.end(text);
});
// The same timeout as in the product, because connections must stay open while the product is measured.
server.keepAliveTimeout = 65_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : address);
});
process.once('disconnect', () => process.exit(0));
