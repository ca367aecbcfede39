/** Tests event store addresses, and messages for operators about connection errors, with the official client. */
import { join } from 'node:path';
import { parseConnectionString } from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import { type EventStoreProcess, startEventStoreProcess } from '@rdm/embedded/event-store/spawn';
import { connectEventStore } from '@rdm/platform';
import { checkEventStoreAddress } from '@rdm/platform/event-store/event-store-address';
import { describeOldStore, describeStoreProblem } from '@rdm/platform/event-store/event-store-problem';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, failureOf, temporaryDirectory } from './target.ts';

const directory = temporaryDirectory();
let store: EventStoreProcess;
beforeAll(async () => {
  const passwordFile = join(directory.path, 'password');
  store = await startEventStoreProcess({ dir: directory.path, passwordFile, output: 'pipe' });
});
afterAll(async () => {
  await store?.stop();
  directory.remove();
});

it('checkEventStoreAddress and describeOldStore accept the embedded store', async () => {
  expect(checkEventStoreAddress(store.url)).toEqual({ address: store.url });
  const client = connect(store.url);
  const { serverVersion } = await client['capabilities'];
  expect(serverVersion).toMatch(/^\d+\.\d+/);
  expect(describeOldStore(serverVersion)).toBeUndefined();
  await client.dispose();
});

const metadata = {
  ...{ $correlationId: 'c', $causationId: 'c', actorId: null, requestId: 'r' },
  ...{ sourceType: 'SYSTEM' as const, occurredAt: '2026-01-01T00:00:00.000Z', dataSetIds: [] },
};
const registered = {
  id: '7f3d1c1e-9d0b-4c44-9f6e-2f9f6f0d1a11',
  type: 'UserRegistered',
  data: { userId: 1, roleId: 1 },
  metadata,
};

it('describeStoreProblem describes a wrong password for a read and for an append', async () => {
  const client = connectEventStore(`${store.url}-`);
  const message = 'refuses the user and password of EVENTSTORE_URL';
  expect(describeStoreProblem(await failureOf(client.head()))).toContain(message);
  const append = client.append('access-main', [registered], 'NO_STREAM');
  expect(describeStoreProblem(await failureOf(append))).toContain(message);
  await client.close();
});

it('describeStoreProblem describes a TLS connection to a store without TLS', async () => {
  const client = connectEventStore(store.url.replace('tls=false', 'tls=true'));
  expect(describeStoreProblem(await failureOf(client.head()))).toContain('answers without TLS');
  await client.close();
});

const word = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '');
const host = fc.tuple(fc.domain(), fc.integer({ min: 1, max: 65_535 }));
const options = fc.record(
  { tls: fc.boolean(), gossipTimeout: fc.integer({ min: 1, max: 2_147_483_647 }), connectionName: word },
  { requiredKeys: [] },
);
const escaped = encodeURIComponent;

it('checkEventStoreAddress preserves user, password, hosts and options for the client', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('esdb', 'kurrentdb'),
      fc.option(fc.record({ username: word, password: word }), { nil: undefined }),
      fc.array(host, { minLength: 1, maxLength: 3 }),
      options,
      (protocol, account, hosts, optionValues) => {
        const query = Object.entries(optionValues).map(([name, value]) => `${name}=${escaped(value)}`);
        const text = [
          `${protocol}://`,
          account ? `${escaped(account.username)}:${escaped(account.password)}@` : '',
          hosts.map(([address, port]) => `${address}:${port}`).join(),
          query.length > 0 ? `?${query.join('&')}` : '',
        ].join('');
        const checked = checkEventStoreAddress(text);
        if (!('address' in checked)) throw new Error(checked.problem);
        expect(parseConnectionString(checked.address)).toEqual({
          dnsDiscover: false,
          hosts: hosts.map(([address, port]) => ({ address, port })),
          ...(account && { defaultCredentials: account }),
          ...optionValues,
        });
      },
    ),
  );
});
