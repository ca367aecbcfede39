/** The store of the translate bench's reference: keys and values in a map, told over TCP in Redis' protocol (GET, MGET). */
import { createServer } from 'node:net';

const [entries] = process.argv.slice(2);
const values = new Map<string, string>();
for (let row = 0; row < Number(entries); row++) values.set(`S${row}`, `T${row}`);

const bulk = (value: string | undefined): string =>
  value === undefined ? '$-1\r\n' : `$${Buffer.byteLength(value)}\r\n${value}\r\n`;

/** The commands that are whole in the text, and what is left of it. Keys here are one byte a letter. */
function parse(text: string): { commands: string[][]; rest: string } {
  const commands: string[][] = [];
  let at = 0;
  for (;;) {
    const line = text.indexOf('\r\n', at);
    if (line < 0) break;
    const count = Number(text.slice(at + 1, line));
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
    at = next;
  }
  return { commands, rest: text.slice(at) };
}

const server = createServer({ noDelay: true }, (socket) => {
  let rest = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    const parsed = parse(rest + chunk);
    rest = parsed.rest;
    let answer = '';
    for (const [command, ...keys] of parsed.commands) {
      if (command === 'MGET') answer += `*${keys.length}\r\n`;
      for (const key of keys) answer += bulk(values.get(key));
    }
    socket.write(answer, 'latin1');
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : address);
});
process.once('disconnect', () => process.exit(0));
