/** Restores a backup into the running product, with the requests of the page. */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBackup } from '@rdm/embedded/maintenance/index';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type LaunchedProduct, launchProduct, START_MS } from '../../launched-product.ts';
import { overwriteMiddle } from '../../overwrite-middle.ts';

const PASSWORD = 'Restore-page-1';
const PASSWORD_AFTER_BACKUP = 'Restore-page-2';
const PASSWORD_AFTER_RESTORE = 'Restore-page-3';

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
  trigger: string;
  verifiedAt: string | null;
  verifiedLevel: string | null;
  verifying: boolean;
  problem: string | null;
}

interface Backups {
  items: Backup[];
  restoring: { fileName: string; progress: number } | null;
  lastRestore: { fileName: string; problem: string | null } | null;
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

async function requestJson<Answer>(method: string, path: string, cookie: string, body?: unknown): Promise<Answer> {
  const answer = await request(method, path, body, cookie);
  expect(answer.status, `${method} ${path}`).toBeLessThan(300);
  return (await answer.json()) as Answer;
}

const readBackups = (cookie: string): Promise<Backups> => requestJson('GET', '/api/backups', cookie);

async function backUp(cookie: string): Promise<Backup> {
  const { id } = await requestJson<{ id: number }>('POST', '/api/backups', cookie, {});
  return vi.waitFor(
    async () => {
      const { items } = await readBackups(cookie);
      const backup = items.find((each) => each.id === id);
      expect(backup?.verifiedAt).toBeTruthy();
      return backup as Backup;
    },
    { timeout: START_MS, interval: 200 },
  );
}

const typeNames = async (cookie: string): Promise<string[]> =>
  (await requestJson<{ name: string }[]>('GET', '/api/reference-types', cookie)).map(({ name }) => name).sort();

const newType = (name: string, cookie: string) =>
  requestJson('POST', '/api/reference-types', cookie, {
    name,
    schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }],
  });

const restore = (backup: Backup, cookie: string, password: string) =>
  request('POST', `/api/backups/${backup.id}/restore`, { name: backup.fileName, password }, cookie);

const changePassword = (newPassword: string, cookie: string) =>
  requestJson('POST', '/api/change-password', cookie, { currentPassword: PASSWORD, newPassword });

it('a restore of a damaged file changes nothing and reports the reason', async () => {
  const cookie = (await signIn(PASSWORD)) as string;
  const backup = await backUp(cookie);
  await newType('Kept', cookie);
  const path = join(product.dataDir, 'backups', backup.fileName);
  writeFileSync(path, overwriteMiddle(readFileSync(path)));
  const before = readdirSync(product.dataDir).sort();
  const stops = () => product.output().split('Stopping').length;
  const stopsBefore = stops();

  expect((await restore(backup, cookie, PASSWORD)).status).toBe(202);
  await vi.waitFor(() => expect(product.output()).toContain('The backup is damaged at'), { timeout: START_MS });
  expect(await typeNames(cookie)).toEqual(['Kept']);
  const { lastRestore } = await vi.waitFor(
    async () => {
      const view = await readBackups(cookie);
      expect(view.lastRestore?.fileName).toBe(backup.fileName);
      return view;
    },
    { timeout: START_MS, interval: 500 },
  );
  expect(lastRestore?.problem).toMatch(/^The backup is damaged at /);
  expect(readdirSync(product.dataDir).sort()).toEqual([...before, 'last-restore.json'].sort());
  expect(stops()).toBe(stopsBefore);
});

/** Returns the pid of the process that restores, from the launcher's record. */
async function restoringProcess(): Promise<number> {
  return vi.waitFor(() => {
    const processes = JSON.parse(readFileSync(join(product.dataDir, 'processes.json'), 'utf8'));
    const restoreProcess = processes.find(({ part }: { part: string }) => part === 'restore');
    expect(restoreProcess).toBeDefined();
    return restoreProcess.pid as number;
  });
}

const restoreFolders = () => readdirSync(product.dataDir).filter((name) => name.startsWith('restore-'));

/** Requests a restore; resolves when its stores are being filled. */
async function beginRestore(cookie: string, backup: Backup, password = PASSWORD): Promise<void> {
  expect((await restore(backup, cookie, password)).status).toBe(202);
  expect((await readBackups(cookie)).restoring).toMatchObject({ fileName: backup.fileName });
  await vi.waitFor(() => expect(restoreFolders()).toHaveLength(1), { timeout: START_MS, interval: 20 });
}

/** Returns the data of all events in the file of a backup. */
async function eventsIn({ fileName }: Backup): Promise<string> {
  let text = '';
  for await (const part of readBackup(join(product.dataDir, 'backups', fileName))) {
    if (part.kind === 'records') text += part.records.map(({ data }) => data.toString()).join('\n');
  }
  return text;
}

describe('while a restore fills the new stores', () => {
  let cookie: string;
  beforeAll(async () => {
    cookie = (await signIn(PASSWORD)) as string;
  });

  it('the product refuses another restore, and serves after a kill of the restoring process', async () => {
    const backup = await backUp(cookie);
    await beginRestore(cookie, backup);
    const second = await restore(backup, cookie, PASSWORD);
    expect([second.status, ((await second.json()) as { error: string }).error]).toEqual([
      409,
      `A restore of ${backup.fileName} is being prepared: wait until it has ended`,
    ]);
    process.kill(await restoringProcess(), 'SIGKILL');
    await vi.waitFor(
      async () => {
        const { restoring, lastRestore } = await readBackups(cookie);
        expect(restoring).toBeNull();
        expect(lastRestore).toMatchObject({ fileName: backup.fileName, problem: 'The restore ended early.' });
      },
      { timeout: START_MS, interval: 100 },
    );
    expect(restoreFolders()).toEqual([]);
    await newType('Written after the kill', cookie);
  });

  it.each(process.env['FAULTS'] === 'long' ? (['SIGKILL', 'SIGTERM'] as const) : (['SIGKILL'] as const))(
    'the product starts with unchanged data after a %s of the launcher',
    async (signal) => {
      await beginRestore(cookie, await backUp(cookie));
      await newType(`Written before a ${signal}`, cookie);
      await product.restart(signal);
      await product.untilServing();
      expect(restoreFolders()).toEqual([]);
      expect(await typeNames(cookie)).toContain(`Written before a ${signal}`);
    },
  );

  describe('and the product restarts with the new stores', () => {
    let backup: Backup;
    let names: string[];
    let apiKey: { id: number; key: string };
    const callWithKey = async () =>
      (await fetch(`${baseUrl}/api/reference-data`, { headers: { Authorization: `Bearer ${apiKey.key}` } })).status;
    const writtenNames: string[] = [];

    it('the product answers reads and writes, and 503 during the restart', async () => {
      const collection = await requestJson<{ id: number }>('POST', '/api/collections', cookie, { name: 'Of the key' });
      const scopes = [{ collectionId: collection.id, scope: 'read' }];
      apiKey = await requestJson('POST', '/api/api-keys', cookie, { name: 'key', scopes });
      expect(await callWithKey()).toBe(200);
      names = await typeNames(cookie);
      backup = await backUp(cookie);
      await changePassword(PASSWORD_AFTER_BACKUP, cookie);
      expect((await restore(backup, cookie, PASSWORD)).status).toBe(422);
      const wrongName = { name: 'another', password: PASSWORD_AFTER_BACKUP };
      expect((await request('POST', `/api/backups/${backup.id}/restore`, wrongName, cookie)).status).toBe(422);

      await beginRestore(cookie, backup, PASSWORD_AFTER_BACKUP);
      expect(await typeNames(cookie)).toEqual(names);
      expect((await request('POST', `/api/api-keys/${apiKey.id}/revoke`, undefined, cookie)).status).toBeLessThan(300);
      for (;;) {
        const name = `Written during the restore ${writtenNames.length}`;
        const body = { name, schemas: [{ name: 'code', dataType: 'string', isPrimaryKey: true }] };
        const answer = await request('POST', '/api/reference-types', body, cookie).catch(() => undefined);
        if (answer === undefined || answer.status >= 500) break;
        expect(answer.status).toBe(201);
        writtenNames.push(name);
      }
      expect(writtenNames.length).toBeGreaterThan(0);
      await vi.waitFor(
        async () => {
          const answer = await fetch(`${baseUrl}/api/user`);
          expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([503, 'RESTORING']);
        },
        { timeout: START_MS, interval: 20 },
      );
      await product.untilServing();
    });

    it('the product has the data and passwords of the backup, and a revoked key stays revoked', async () => {
      const refused = await request('GET', '/api/user', undefined, cookie);
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([401, 'SESSION_UNKNOWN']);
      expect(await signIn(PASSWORD_AFTER_BACKUP)).toBeUndefined();
      const newSession = (await signIn(PASSWORD)) as string;
      // Users who changed their password after the backup must choose a new one.
      expect(await requestJson('GET', '/api/user', newSession)).toMatchObject({ requirePasswordChange: true });
      await changePassword(PASSWORD_AFTER_RESTORE, newSession);
      expect(await typeNames(newSession)).toEqual(names);
      expect(await callWithKey()).toBe(401);
      const { items } = await vi.waitFor(
        async () => {
          const view = await readBackups(newSession);
          expect(view.lastRestore).toMatchObject({ fileName: backup.fileName, problem: null });
          return view;
        },
        { timeout: START_MS, interval: 200 },
      );
      const safety = items.find(({ trigger, id }) => trigger === 'RESTORE' && id > backup.id) as Backup;
      const events = await eventsIn(safety);
      for (const name of writtenNames) expect(events, 'the safety backup').toContain(`"${name}"`);

      // The verification builds read models from the backup, and compares them with the read models of the restore.
      await requestJson('POST', `/api/backups/${backup.id}/verify`, newSession, { level: 'restore' });
      await vi.waitFor(
        async () => {
          const verified = (await readBackups(newSession)).items.find(({ id }) => id === backup.id);
          expect(verified).toMatchObject({ verifying: false, verifiedLevel: 'restore', problem: null });
        },
        { timeout: START_MS, interval: 500 },
      );
      expect(await requestJson('GET', '/api/audit-logs/verify', newSession)).toMatchObject({ intact: true });
    });
  });
});
