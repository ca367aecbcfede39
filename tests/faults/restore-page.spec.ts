/** Restores a backup of the running product, as the page requests it: the launcher stops it, restores, and starts it again. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type LaunchedProduct, launchProduct, START_MS } from '../launched-product.ts';

const PASSWORD = 'Restore-page-1';
const LATER_PASSWORD = 'Restore-page-2';
const PASSWORD_AFTERWARDS = 'Restore-page-3';

let product: LaunchedProduct;
let baseUrl: string;

beforeAll(async () => {
  product = await launchProduct('restore-page', PASSWORD);
  baseUrl = product.baseUrl;
  await product.untilServing();
}, START_MS);
afterAll(() => product.stop());

interface Backup {
  id: number;
  fileName: string;
  verifiedAt: string | null;
}

const request = (method: string, path: string, body?: unknown, cookie = '') =>
  fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      'Content-Type': 'application/json',
      Origin: baseUrl,
      Cookie: cookie,
      'Idempotency-Key': randomUUID(),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

async function signIn(password: string): Promise<string | undefined> {
  const answer = await request('POST', '/api/login', { username: 'admin', password });
  return answer.ok ? (answer.headers.get('set-cookie') ?? '').split(';')[0] : undefined;
}

async function json<Answer>(method: string, path: string, cookie: string, body?: unknown): Promise<Answer> {
  const answer = await request(method, path, body, cookie);
  expect(answer.status, `${method} ${path}`).toBeLessThan(300);
  return (await answer.json()) as Answer;
}

async function backUp(cookie: string): Promise<Backup> {
  const { id } = await json<{ id: number }>('POST', '/api/backups', cookie, {});
  return vi.waitFor(
    async () => {
      const { items } = await json<{ items: Backup[] }>('GET', '/api/backups', cookie);
      const made = items.find((each) => each.id === id);
      expect(made?.verifiedAt).toBeTruthy();
      return made as Backup;
    },
    { timeout: START_MS, interval: 200 },
  );
}

const typeNames = async (cookie: string): Promise<string[]> =>
  (await json<{ name: string }[]>('GET', '/api/reference-types', cookie)).map(({ name }) => name).sort();

const newType = (name: string, cookie: string) =>
  json('POST', '/api/reference-types', cookie, {
    name,
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });

const restore = (backup: Backup, cookie: string, password: string) =>
  request('POST', `/api/backups/${backup.id}/restore`, { name: backup.fileName, password }, cookie);

const changePassword = (newPassword: string, cookie: string) =>
  json('POST', '/api/change-password', cookie, { currentPassword: PASSWORD, newPassword });

it('returns the data to the backup; all users sign in again with their passwords of that time', async () => {
  const cookie = (await signIn(PASSWORD)) as string;
  await newType('Before', cookie);
  const backup = await backUp(cookie);
  await newType('After', cookie);
  await changePassword(LATER_PASSWORD, cookie);

  expect((await restore(backup, cookie, PASSWORD)).status).toBe(422);
  const wrongName = { name: 'another', password: LATER_PASSWORD };
  expect((await request('POST', `/api/backups/${backup.id}/restore`, wrongName, cookie)).status).toBe(422);
  expect((await restore(backup, cookie, LATER_PASSWORD)).status).toBe(202);
  await vi.waitFor(
    async () => {
      const answer = await fetch(`${baseUrl}/api/user`);
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([503, 'RESTORING']);
    },
    { timeout: START_MS, interval: 20 },
  );
  await product.untilServing();

  expect((await request('GET', '/api/user', undefined, cookie)).status).toBe(401);
  expect(await signIn(LATER_PASSWORD)).toBeUndefined();
  const newSession = (await signIn(PASSWORD)) as string;
  // Users who changed their password after the backup must choose a new one.
  expect(await json('GET', '/api/user', newSession)).toMatchObject({ requirePasswordChange: true });
  await changePassword(PASSWORD_AFTERWARDS, newSession);
  expect(await typeNames(newSession)).toEqual(['Before']);
  expect(await json('GET', '/api/audit-logs/verify', newSession)).toMatchObject({ intact: true });
  const { items } = await json<{ items: (Backup & { trigger: string })[] }>('GET', '/api/backups', newSession);
  expect(items.map(({ trigger }) => trigger).sort()).toEqual(['MANUAL', 'RESTORE']);
});

it('changes nothing if the file is damaged, and the page shows the reason', async () => {
  const cookie = (await signIn(PASSWORD_AFTERWARDS)) as string;
  const backup = await backUp(cookie);
  await newType('Kept', cookie);
  const path = join(product.dataDir, 'backups', backup.fileName);
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] as number) ^ 1;
  writeFileSync(path, bytes);
  const before = readdirSync(product.dataDir).sort();

  expect((await restore(backup, cookie, PASSWORD_AFTERWARDS)).status).toBe(202);
  await vi.waitFor(() => expect(product.output()).toContain('The backup is damaged at'), { timeout: START_MS });
  await product.untilServing();
  expect(await typeNames((await signIn(PASSWORD_AFTERWARDS)) as string)).toEqual(['Before', 'Kept']);
  const { lastRestore } = await vi.waitFor(
    async () => {
      const newSession = (await signIn(PASSWORD_AFTERWARDS)) as string;
      const view = await json<{ lastRestore: { fileName: string; problem: string } | null }>(
        'GET',
        '/api/backups',
        newSession,
      );
      expect(view.lastRestore?.fileName).toBe(backup.fileName);
      return view;
    },
    { timeout: START_MS, interval: 500 },
  );
  expect(lastRestore?.problem).toMatch(/^The backup is damaged at /);
  expect(readdirSync(product.dataDir).sort()).toEqual(before);
});
