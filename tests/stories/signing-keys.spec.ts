/** The first start of the product creates and registers the key that signs the audit log. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { keyIdOf, loadSigningKey, signingKeyPath } from '@rdm/platform';
import { expect, inject, it } from 'vitest';
import { done } from './fixtures.ts';
import { type Json, signInAs } from './http-client.ts';

it('administrators can read the public signing key and the activity of its registration', async () => {
  const [dataDir = ''] = inject('folders');
  const path = signingKeyPath(dataDir);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const { keyId, publicKey } = loadSigningKey(path);

  const admin = await signInAs('admin');
  const { body: keys } = await admin.eventually('/api/audit-logs/keys', ({ body }) => body.length > 0);
  expect(keys).toEqual([{ keyId, publicKey, registeredAt: expect.any(String) }]);
  expect(keyIdOf(keys[0].publicKey)).toBe(keyId);

  // The registration is one of the first activities.
  const { items } = done(await admin.get('/api/audit-logs/activities?pageSize=100&sort=timestamp&order=ASC'));
  expect(items.map(({ line }: Json) => line)).toContain(`The system registered signing key ${keyId}`);

  // command-api does not write the private key into its log file.
  const secret = readFileSync(path, 'utf8').split('\n')[1] ?? '';
  expect(secret).toHaveLength(64);
  expect(readFileSync(join(dataDir, 'logs', 'command-api.log'), 'utf8')).not.toContain(secret);
});
