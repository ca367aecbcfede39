/** Specifies which addresses of an event store are accepted, rewritten for the client, or rejected. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readSettings } from '../config.ts';
import { connectEventStore } from './connect-event-store.ts';

const otherSettings = {
  PORT: '8081',
  DATABASE_URL: 'postgres://127.0.0.1/rdm',
  SESSION_SECRET: 'a secret of thirty-two characters',
  SERVICE_SECRET: 'a secret of thirty-two characters',
};
const read = (address: string) => readSettings({ ...otherSettings, EVENTSTORE_URL: address }).EVENTSTORE_URL;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rdm-address-'));
  writeFileSync(join(folder, 'ca & co.crt'), '');
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

const fileIn = (name: string) => encodeURIComponent(join(folder, name));

describe('EVENTSTORE_URL', () => {
  it.each([
    'esdb://127.0.0.1:2113?tls=false',
    'esdb://127.0.0.1:2113?tls=false&connectionName=Zm9v-YmFy_2Jhcg',
    'esdb://store',
    'esdb://user:p%40ss%3Aword%25@store.example.com:2113',
    'esdb://user:a/b+c=d@store?tls=true',
    'esdb://one:2113,two:2114,three?nodePreference=leader&maxDiscoverAttempts=30',
    'esdb+discover://cluster.example.com:2113?Node_Preference=Read-Only-Replica&keepAliveInterval=-1',
  ])('accepts %s unchanged', (address) => {
    expect(read(address)).toBe(address);
  });

  it.each([
    ['kurrentdb://store:2113?tls=false', 'esdb://store:2113?tls=false'],
    ['kurrentdb+discover://cluster.example.com', 'esdb+discover://cluster.example.com'],
    [' esdb://one, two/?tls=false\n', 'esdb://one,two?tls=false'],
    // With "+discover", the client only uses the first host.
    ['kurrentdb+discover://user:pass@one,two', 'esdb://user:pass@one,two'],
  ])('rewrites %s to the form that the client reads', (given, expected) => {
    expect(read(given)).toBe(expected);
  });

  it('accepts files that exist, with percent-encoded names', () => {
    const address = `esdb://store?tlsCAFile=${fileIn('ca & co.crt')}`;
    expect(read(address)).toBe(address);
  });

  it.each([
    ['http://store:2113', 'must be an esdb:// or kurrentdb:// address'],
    ['ESDB://store:2113', 'must be an esdb:// or kurrentdb:// address'],
    ['esdb://', 'has no host'],
    ['esdb://?tls=false', 'has no host'],
    ['esdb://user:pass@', 'has no host'],
    ['esdb://one,,two', 'has no host'],
    ['esdb://:2113', 'has no host'],
    ['esdb://[::1]:2113', 'has a host that the client cannot read'],
    ['esdb://store/path', 'has a host that the client cannot read'],
    ['esdb://one:2113:2114', 'has a host that the client cannot read'],
    ['esdb://store:', 'has a port'],
    ['esdb://store:0', 'has a port'],
    ['esdb://store:65536', 'has a port'],
    ['esdb://store:2113x', 'has a port'],
    ['esdb://one:2113,two:http', 'has a port'],
    ['esdb://user@store', 'must have user:password'],
    ['esdb://user:@store', 'must have user:password'],
    ['esdb://user:pa:ss@store', 'must have user:password'],
    ['esdb://user:100%@store', 'must have user:password'],
    ['esdb://user:p@ss@store', 'has an "@" or a "?" too many'],
    ['esdb://user:p?ss@store', 'has an "@" or a "?" too many'],
    ['esdb://store:2113?connectionName=me@home', 'has an "@" or a "?" too many'],
    ['esdb://store?tls=false?nodePreference=leader', 'has an "@" or a "?" too many'],
    ['esdb://store?tls=false&tlsCertificate=no', 'has an unknown option, number 2'],
    ['esdb://store?tls', 'has an unknown option, number 1'],
    ['esdb://store?', 'has an unknown option, number 1'],
    ['esdb://store?tls=false&', 'has an unknown option, number 2'],
    ['esdb://store?__proto__=1', 'has an unknown option, number 1'],
    ['esdb://store?tls=', 'has a wrong value for tls: it must be true or false'],
    ['esdb://store?TLS=no', 'has a wrong value for tls: it must be true or false'],
    ['esdb://store?tlsVerifyCert=false', 'has a wrong value for tlsVerifyCert: it must be true'],
    ['esdb://store?throwOnAppendFailure=false', 'has a wrong value for throwOnAppendFailure: it must be true'],
    ['esdb://store?nodePreference=any', 'has a wrong value for nodePreference: it must be leader'],
    ['esdb://store?connectionName=%E2%82', 'has a wrong value for connectionName: it must be a name'],
    ['esdb://store?connectionName=%C3%A9', 'has a wrong value for connectionName: it must be a name'],
    ['esdb://store?maxDiscoverAttempts=-1', 'has a wrong value for maxDiscoverAttempts: it must be a whole number'],
    ['esdb://store?gossipTimeout=5s', 'has a wrong value for gossipTimeout: it must be a whole number'],
    ['esdb://store?defaultDeadline=2147483648', 'has a wrong value for defaultDeadline: it must be a whole number'],
    ['esdb://store?keepAliveTimeout=-2', 'has a wrong value for keepAliveTimeout: it must be -1'],
    ['esdb://store?tlsCAFile=/no/such/ca.crt', 'has a wrong value for tlsCAFile: it must be a file that exists'],
    ['esdb://store?tlsCAFile=/', 'has a wrong value for tlsCAFile: it must be a file that exists'],
    ['esdb://store?tlsCAFile=%', 'has a wrong value for tlsCAFile: it must be a file that exists'],
  ])('rejects %s', (address, words) => {
    expect(() => read(address)).toThrow(`EVENTSTORE_URL: ${words}`);
  });

  it('rejects a certificate without its key', () => {
    const address = `esdb://store?userCertFile=${fileIn('ca & co.crt')}`;
    expect(() => read(address)).toThrow('EVENTSTORE_URL: has only one of userCertFile and userKeyFile');
    expect(read(`${address}&userKeyFile=${fileIn('ca & co.crt')}`)).toContain('userKeyFile');
  });
});

const SECRET = 'hunter-2';
const oneOf = (...texts: string[]) => fc.constantFrom(...texts);
const name = oneOf('tls', 'tlsVerifyCert', 'tlsCAFile', 'connectionName', 'nodePreference', 'gossipTimeout', SECRET);
const value = oneOf('true', 'false', 'leader', '5', SECRET, `${SECRET}%`, '', '@', '?');
const option = fc.tuple(name, oneOf('=', '=', '=', ''), value).map((parts) => parts.join(''));
/** Valid and invalid addresses, with the secret in any place. */
const address = fc
  .tuple(
    oneOf('esdb://', 'esdb+discover://', 'kurrentdb://', 'http://'),
    oneOf(
      '',
      `${SECRET}:${SECRET}@`,
      `user:${SECRET}@`,
      `${SECRET}@`,
      `a:${SECRET}:b@`,
      `a:b@${SECRET}@`,
      `a:${SECRET}?@`,
    ),
    fc.array(oneOf('store', 'store:2113', SECRET, `store:${SECRET}`, ''), { minLength: 1, maxLength: 2 }),
    fc.array(option, { maxLength: 3 }),
  )
  .map(
    ([protocol, account, hosts, options]) =>
      `${protocol}${account}${hosts}${options.length ? '?' : ''}${options.join('&')}`,
  );

describe('a message about the address', () => {
  it('never contains a user, a password, a host, an unknown option or the value of an option', () => {
    const printed: unknown[][] = [];
    for (const method of ['log', 'info', 'warn', 'error'] as const) {
      vi.spyOn(console, method).mockImplementation((...words) => void printed.push(words));
    }
    let accepted = 0;
    fc.assert(
      fc.property(address, (text) => {
        let url: string | undefined;
        try {
          url = read(text);
        } catch (error) {
          expect(String(error)).not.toContain(SECRET);
        }
        if (url === undefined) return;
        accepted += 1;
        void connectEventStore(url).close();
      }),
      { numRuns: 300 },
    );
    expect(printed.flat().join('\n')).not.toContain(SECRET);
    expect(accepted).toBeGreaterThan(0);
  });
});
