/**
 * Replaces Redis if it is not installed: stores keys and values in a map, and serves them over the TCP protocol of
 * Redis (GET, MGET, MSET).
 */
import { createServer } from 'node:net';

const values = new Map<string, string>();

const bulkString = (value: string | undefined): string =>
  value === undefined ? '$-1\r\n' : `$${Buffer.byteLength(value)}\r\n${value}\r\n`;

function replyTo(command: string | undefined, words: string[]): string {
  if (command === 'GET') return bulkString(values.get(words[0] ?? ''));
  if (command === 'MGET') return `*${words.length}\r\n${words.map((key) => bulkString(values.get(key))).join('')}`;
  if (command !== 'MSET') return '-ERR unknown command\r\n';
  for (let word = 0; word < words.length; word += 2) values.set(words[word] ?? '', words[word + 1] ?? '');
  return '+OK\r\n';
}

/** Returns the complete commands in a text, and the remaining text. Keys and values must be ASCII. */
function parse(text: string): { commands: string[][]; rest: string } {
  const commands: string[][] = [];
  let offset = 0;
  for (;;) {
    const line = text.indexOf('\r\n', offset);
    if (line < 0) break;
    const count = Number(text.slice(offset + 1, line));
    const words: string[] = [];
    let next = line + 2;
    while (words.length < count) {
      const end = text.indexOf('\r\n', next);
      if (end < 0) break;
      const length = Number(text.slice(next + 1, end));
      if (text.length < end + 4 + length) break;
      words.push(text.slice(end + 2, end + 2 + length));
      next = end + 4 + length;
    }
    if (words.length < count) break;
    commands.push(words);
    offset = next;
  }
  return { commands, rest: text.slice(offset) };
}

const server = createServer({ noDelay: true }, (socket) => {
  let rest = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    const parsed = parse(rest + chunk);
    rest = parsed.rest;
    let answer = '';
    for (const [command, ...words] of parsed.commands) answer += replyTo(command, words);
    socket.write(answer, 'latin1');
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : address);
});
process.once('disconnect', () => process.exit(0));
