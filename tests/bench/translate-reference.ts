/** The reference of the translate bench: a bare Node server that asks the store beside it, one GET or MGET a request. */
import { createServer } from 'node:http';
import { connect } from 'node:net';

const [storePort] = process.argv.slice(2);
const store = connect({ port: Number(storePort), host: '127.0.0.1', noDelay: true });
store.setEncoding('latin1');

/** Answers come in the order of the questions; each is so many values. */
const waiting: { wanted: number; values: (string | null)[]; resolve: (values: (string | null)[]) => void }[] = [];
let rest = '';
store.on('data', (chunk: string) => {
  const text = rest + chunk;
  let at = 0;
  for (;;) {
    const line = text.indexOf('\r\n', at);
    if (line < 0) break;
    if (text[at] === '*') {
      at = line + 2;
      continue;
    }
    const length = Number(text.slice(at + 1, line));
    if (length >= 0 && text.length < line + 4 + length) break;
    const [first] = waiting;
    if (!first) throw new Error('The store answered what nobody asked');
    first.values.push(length < 0 ? null : text.slice(line + 2, line + 2 + length));
    at = length < 0 ? line + 2 : line + 4 + length;
    if (first.values.length < first.wanted) continue;
    waiting.shift();
    first.resolve(first.values);
  }
  rest = text.slice(at);
});

const ask = (command: string, keys: readonly string[]): Promise<(string | null)[]> =>
  new Promise((resolve) => {
    waiting.push({ wanted: keys.length, values: [], resolve });
    const words = [command, ...keys].map((word) => `$${word.length}\r\n${word}\r\n`);
    store.write(`*${words.length}\r\n${words.join('')}`, 'latin1');
  });

const shown = (value: string, target: string | null | undefined) => ({
  value,
  results: target === null ? [] : [{ targetValue: target }],
});
const server = createServer(async (request, response) => {
  let body: unknown;
  if (request.method === 'GET') {
    const value = new URL(request.url ?? '', 'http://localhost').searchParams.get('value') ?? '';
    const [target] = await ask('GET', [value]);
    body = shown(value, target);
  } else {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { values } = JSON.parse(Buffer.concat(chunks).toString()) as { values: string[] };
    const targets = await ask('MGET', values);
    body = values.map((value, index) => shown(value, targets[index]));
  }
  const text = Buffer.from(JSON.stringify(body));
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': text.length });
  response.end(text);
});
// As long as the product's: connections are kept while the other one is asked.
server.keepAliveTimeout = 65_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : address);
});
process.once('disconnect', () => process.exit(0));
