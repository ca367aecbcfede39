/** Tests backups of a scavenged log on a real PostgreSQL and a real event store. */
import { join } from 'node:path';
import { loadSigningKey } from '@rdm/platform';
import type { RawEvent } from '@rdm/platform/event-store/event-codec';
import { describe, expect, it } from 'vitest';
import {
  append,
  backUp,
  client,
  folder,
  partsOf,
  recordsOf,
  root,
  scavengeNow,
  server,
  signingKeyFile,
  source,
  startStores,
  store,
} from '../fixtures/backed-up-stores.ts';
import { remoteLog } from '../log-source.ts';
import { openNewLog } from '../restore/new-log.ts';
import { verifyFile } from '../verify-file.ts';

startStores();

describe('a scavenged log', () => {
  const trustedKeys = () => [loadSigningKey(signingKeyFile).publicKey];

  it('is backed up, verified and restored without the removed events', async () => {
    await append('dataSet-6', 40);
    await client.tombstoneStream('dataSet-6');
    expect(await scavengeNow()).toBeGreaterThan(4_096);
    const { fileName, events } = await backUp();
    await expect(verifyFile(join(folder, fileName), { trustedKeys: trustedKeys() })).resolves.toMatchObject({
      isKeyTrusted: true,
      trailer: { events },
    });
    const parts = await partsOf(fileName);
    const records = recordsOf(parts);
    const streams = records.map(({ stream, type }) => `${stream} ${type}`);
    for (const deleted of ['dataSet-2', 'dataSet-6']) {
      expect(streams.filter((name) => name.startsWith(`${deleted} `))).toEqual([`${deleted} $streamDeleted`]);
    }
    const remaining = records.filter(({ stream }) => stream === 'dataSet-1').map(({ revision }) => revision);
    expect(remaining).toEqual(Array.from({ length: 20 }, (_, at) => BigInt(at + 10)));

    const head = await store.head();
    const overProtocol: RawEvent[] = [];
    const remoteEvents = remoteLog(store, server.url).events(head?.commit ?? 0n, new AbortController().signal);
    for await (const batch of remoteEvents) overProtocol.push(...batch);
    const inFiles: RawEvent[] = [];
    for await (const batch of source.events(head?.commit ?? 0n, new AbortController().signal)) inFiles.push(...batch);
    expect(inFiles).toEqual(overProtocol);

    const restored = join(root, 'restored-scavenged');
    for (const step of ['written', 'opened again']) {
      const log = await openNewLog(restored);
      if (step === 'written') await log.write(records);
      expect(
        (await log.events('dataSet-1')).map(({ revision }) => BigInt(revision)),
        step,
      ).toEqual(remaining);
      await log.close();
    }
  });
});
