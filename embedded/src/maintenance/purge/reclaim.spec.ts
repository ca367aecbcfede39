import { expect, it } from 'vitest';
import { scavengeCommand } from './reclaim.ts';

it.each([
  ['esdb://127.0.0.1:2113?tls=false', ['http://127.0.0.1:2113']],
  [
    'esdb://admin:s3cret%40@one.example.com,two.example.com:2114?tlsCAFile=/etc/ca.crt',
    ['https://one.example.com:2113', 'https://two.example.com:2114'],
  ],
  ['esdb+discover://admin:s3cret@cluster.example.com:2113', ['https://cluster.example.com:2113']],
])('scavengeCommand returns a command for each node of %s, without the user and password of the URL', (url, nodes) => {
  const commands = nodes.map((node) => `curl -u ops -X POST -d '{}' ${node}/admin/scavenge`);
  expect(scavengeCommand(url, false)).toBe(commands.join('\n'));
});

it('scavengeCommand returns the npm script for the embedded store', () => {
  expect(scavengeCommand('esdb://127.0.0.1:2113?tls=false&connectionName=s3cret', true)).toBe('npm run scavenge');
});
