/**
 * An administrator makes backups while the product runs, by hand and by schedule, and verifies, downloads, keeps and deletes them. This
 * story has a stack of its own: an installation makes one backup at a time, of its whole log, and has one schedule.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PASSPHRASE_HEADER } from '@rdm/contracts';
import { createPool, type Pool } from '@rdm/platform';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { overwriteMiddle } from '../overwrite-middle.ts';
import { startTestStack, type TestStack } from '../test-stack.ts';
import { done } from './fixtures.ts';
import { HttpClient, type Json } from './http-client.ts';
import { newBackup } from './permissions/fixture.ts';

const ADMIN_PASSWORD = 'Backups-admin-1';
const PASSPHRASE = 'correct horse battery';

let stack: TestStack;
let admin: HttpClient;
let pool: Pool;
beforeAll(async () => {
  stack = await startTestStack('backups', { adminPassword: ADMIN_PASSWORD });
  admin = await signIn();
  pool = createPool(stack.databaseUrl, { max: 1 });
});
afterAll(async () => {
  await pool?.end();
  await stack?.stop();
});

async function signIn(): Promise<HttpClient> {
  const person = new HttpClient(stack.baseUrl);
  done(await person.signIn('admin', ADMIN_PASSWORD));
  return person;
}

const fileOf = ({ fileName }: Json): string => join(stack.dataDir, 'backups', fileName);

/** Waits until the list has the backup and it is as expected; returns it. */
async function waitForBackup(id: number, isAsExpected: (backup: Json) => boolean = () => true): Promise<Json> {
  const find = (body: Json): Json | undefined => body.items.find((each: Json) => each.id === id);
  const { body } = await admin.eventually('/api/backups', (answer) => {
    const backup = find(answer.body);
    return backup !== undefined && isAsExpected(backup);
  });
  return find(body) as Json;
}

/** Makes a backup as the schedule does; waits while another backup runs, because one runs at a time. */
async function makeScheduledBackup(): Promise<number> {
  const stored = (name: string) => JSON.parse(readFileSync(join(stack.dataDir, name), 'utf8'));
  const { serviceSecret } = stored('secrets.json');
  const start = async () => {
    const answer = await fetch(`http://127.0.0.1:${stored('ports.json')['command-api']}/internal/backups`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Service-Secret': serviceSecret,
        'Idempotency-Key': randomUUID(),
      },
      body: JSON.stringify({ trigger: 'SCHEDULE' }),
    });
    return done({ status: answer.status, body: await answer.json() });
  };
  const { id } = await vi.waitFor(start, { timeout: 60_000 });
  await waitForBackup(id, ({ verifiedAt }) => verifiedAt !== null);
  return id;
}

async function verify(id: number, body: Json = {}): Promise<Json> {
  const { jobId } = done(await admin.post(`/api/backups/${id}/verify`, body));
  return (await admin.eventually(`/api/jobs/${jobId}`, (answer) => answer.body.endTime !== null)).body;
}

describe('a backup', () => {
  it('is made and verified while the product runs, and shows its cut', async () => {
    const id = await newBackup(admin);
    const backup = await waitForBackup(id, ({ verifiedAt }) => verifiedAt !== null);
    expect(backup).toMatchObject({
      status: 'DONE',
      trigger: 'MANUAL',
      requestedBy: 'admin',
      verifiedLevel: 'checksums',
      encrypted: false,
      pinned: false,
      problem: null,
      progress: 100,
    });
    expect(backup.events).toBeGreaterThan(0);
    expect(backup.sha256).toBe(
      createHash('sha256')
        .update(readFileSync(fileOf(backup)))
        .digest('hex'),
    );
    expect((await admin.get(`/api/jobs/${id}`)).body).toMatchObject({ jobType: 'DATABASE_BACKUP', status: 'DONE' });
    const { body: activities } = await admin.eventually('/api/audit-logs/activities?pageSize=1000', ({ body }) =>
      body.items.some(({ line }: Json) => line === `The system verified the backup ${id}: it is intact`),
    );
    expect(activities.items.map(({ line }: Json) => line)).toContain(`Administrator started the backup ${id}`);
  });

  it('is downloaded only after a check of the password, and also in ranges', async () => {
    const id = await newBackup(admin);
    const backup = await waitForBackup(id, ({ fileName }) => fileName !== null);
    expect(await admin.get(`/api/backups/${id}`)).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect(await admin.post(`/api/backups/${id}/download`, { password: 'wrong' })).toMatchObject({
      status: 422,
      body: { code: 'WRONG_PASSWORD', error: 'The password is not correct' },
    });
    const { url } = done(await admin.post(`/api/backups/${id}/download`, { password: ADMIN_PASSWORD }));
    const whole = await admin.download(url);
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(backup.sha256);
    const other = await signIn();
    expect((await other.get(url)).status).toBe(409);
  });

  it('that is damaged is reported with the damaged entry, and counts as damaged until a verification finds it intact', async () => {
    const id = await newBackup(admin);
    const backup = await waitForBackup(id, ({ fileName }) => fileName !== null);
    const intact = readFileSync(fileOf(backup));
    writeFileSync(fileOf(backup), overwriteMiddle(intact));
    const job = await verify(id);
    expect(job).toMatchObject({ jobType: 'BACKUP_VERIFICATION', status: 'FAILED' });
    expect(job.errorMessage).toMatch(/^The backup is damaged at /);
    expect(await waitForBackup(id, ({ status }) => status === 'DAMAGED')).toMatchObject({ verifiedAt: null });
    writeFileSync(fileOf(backup), intact);
    expect(await verify(id)).toMatchObject({ status: 'DONE' });
    expect(await waitForBackup(id, ({ status }) => status === 'DONE')).toMatchObject({ problem: null });
  });

  it('is listed as kept when an administrator keeps it, and loses its file when it is deleted', async () => {
    const id = await newBackup(admin);
    done(await admin.patch(`/api/backups/${id}`, { pinned: true }));
    const backup = await waitForBackup(id, ({ pinned }) => pinned);
    expect(existsSync(fileOf(backup))).toBe(true);
    expect((await admin.delete(`/api/backups/${id}`)).status).toBe(204);
    await admin.eventually('/api/backups', ({ body }) => !body.items.some((each: Json) => each.id === id));
    await expect.poll(() => existsSync(fileOf(backup)), { timeout: 20_000 }).toBe(false);
    expect((await admin.get(`/api/backups/${id}`)).status).toBe(404);
  });
});

describe('a file that was downloaded', () => {
  const upload = (content: Buffer, passphrase?: string) =>
    fetch(`${admin.baseUrl}/api/backups/upload`, {
      method: 'POST',
      headers: {
        ...{ Cookie: admin.cookie, Origin: admin.baseUrl, 'Content-Type': 'application/octet-stream' },
        ...(passphrase !== undefined && { [PASSPHRASE_HEADER]: encodeURIComponent(passphrase) }),
      },
      body: new Uint8Array(content),
    });

  it('can be uploaded after its backup was deleted, and is then verified and listed again', async () => {
    const id = await newBackup(admin);
    const backup = await waitForBackup(id, ({ verifiedAt }) => verifiedAt !== null);
    const content = readFileSync(fileOf(backup));
    const twice = await upload(content);
    expect([twice.status, await twice.json()]).toMatchObject([
      409,
      { code: 'CONFLICT', error: `This backup is in the list already: ${backup.fileName}` },
    ]);
    await admin.delete(`/api/backups/${id}`);
    await expect.poll(() => existsSync(fileOf(backup)), { timeout: 20_000 }).toBe(false);

    const answer = await upload(content);
    const uploaded = (await answer.json()) as Json;
    expect([answer.status, uploaded.fileName]).toEqual([201, expect.stringMatching(/^rdm-\d{8}T\d{6}Z-uploaded_/)]);
    const { createdAt, events, seq, sha256 } = backup;
    const uploadedBackup = await waitForBackup(uploaded.id);
    expect(uploadedBackup).toMatchObject({
      trigger: 'UPLOAD',
      status: 'DONE',
      verifiedLevel: 'checksums',
      events,
      seq,
      sha256,
    });
    // The uploaded backup has the time at which it was made.
    expect(Math.abs(Date.parse(uploadedBackup.createdAt) - Date.parse(createdAt))).toBeLessThan(60_000);
    // Comparing large buffers value by value takes gigabytes.
    expect(readFileSync(fileOf(uploadedBackup)).equals(content)).toBe(true);
    expect(await verify(uploaded.id)).toMatchObject({ status: 'DONE' });
  });

  it('is refused if it is damaged or no backup, and leaves no file behind', async () => {
    const folder = join(stack.dataDir, 'backups');
    const id = await newBackup(admin, { passphrase: PASSPHRASE });
    const content = readFileSync(fileOf(await waitForBackup(id, ({ verifiedAt }) => verifiedAt !== null)));
    content[content.length - 1] = (content.at(-1) as number) ^ 1;
    for (const [bytes, passphrase, code] of [
      [Buffer.from('no backup'), undefined, 'BACKUP_DAMAGED'],
      [Buffer.alloc(0), undefined, 'BACKUP_DAMAGED'],
      [content, undefined, 'WRONG_PASSPHRASE'],
      [content, 'not this one at all', 'WRONG_PASSPHRASE'],
      [content, PASSPHRASE, 'BACKUP_DAMAGED'],
    ] as const) {
      const answer = await upload(bytes, passphrase);
      expect([answer.status, ((await answer.json()) as Json).code]).toEqual([422, code]);
    }
    expect(readdirSync(folder).filter((name) => name.includes('upload-'))).toEqual([]);
  });
});

describe('an encrypted backup', () => {
  it('needs its passphrase for a verification, but not for a download', async () => {
    const id = await newBackup(admin, { passphrase: PASSPHRASE });
    const backup = await waitForBackup(id, ({ verifiedAt }) => verifiedAt !== null);
    expect(backup).toMatchObject({ encrypted: true, status: 'DONE' });
    expect(backup.fileName).toMatch(/\.tar\.gz\.age$/);
    expect(await verify(id, { passphrase: 'not this one at all' })).toMatchObject({ status: 'FAILED' });
    expect(await waitForBackup(id, ({ problem }) => problem !== null)).toMatchObject({ status: 'DONE' });
    expect(await verify(id, { passphrase: PASSPHRASE })).toMatchObject({ status: 'DONE' });
    const file = await admin.download(`/api/backups/${id}`);
    expect(
      createHash('sha256')
        .update(Buffer.from(await file.arrayBuffer()))
        .digest('hex'),
    ).toBe(backup.sha256);
    // The passphrase is in no table after the verification, and never was in an event.
    await expect
      .poll(async () => (await pool.query('SELECT count(*)::int AS n FROM command.backup_passphrases')).rows[0].n)
      .toBe(0);
    const { body } = await admin.get('/api/audit-logs?pageSize=50&sort=seq&order=DESC');
    expect(JSON.stringify(body)).not.toContain(PASSPHRASE);
  });

  it('is refused with a short passphrase', async () => {
    expect(await admin.post('/api/backups', { passphrase: 'short' })).toMatchObject({ status: 400 });
  });
});

describe('the schedule', () => {
  const keep = { daily: 7, weekly: 4, monthly: 12 };
  /** Waits until the schedule has its next backup at this time of day in UTC; returns the schedule. */
  const waitForScheduleAt = async (time: string): Promise<Json> =>
    (await admin.eventually('/api/backups/schedule', ({ body }) => body.nextAt?.slice(11, 16) === time)).body;

  it('shows the time of the next backup, computed in the local time of its zone', async () => {
    const schedule = { enabled: true, every: 'WEEK', weekday: 7, at: '03:30', zone: 'Asia/Tokyo', keep };
    done(await admin.put('/api/backups/schedule', schedule));
    const body = await waitForScheduleAt('18:30');
    expect(body).toMatchObject({ ...schedule, isSet: true });
    const next = new Date(body.nextAt);
    expect(next.getTime()).toBeGreaterThan(Date.now());
    expect(next.getUTCDay()).toBe(6);
    done(await admin.put('/api/backups/schedule', { ...schedule, enabled: false }));
  });

  it('sets when the retention deletes a scheduled backup, unless an administrator keeps the backup', async () => {
    const id = await makeScheduledBackup();
    const schedule = {
      enabled: true,
      every: 'DAY',
      at: '03:30',
      zone: 'UTC',
      keep: { ...keep, daily: 2, weekly: 0, monthly: 0 },
    };
    done(await admin.put('/api/backups/schedule', schedule));
    const body = await waitForScheduleAt('03:30');
    expect(body).toMatchObject(schedule);
    // The schedule keeps one backup of each of two days. If the next scheduled backup is on the day of this one, it replaces this
    // one. Otherwise the backup of the second day after this one replaces it.
    const { createdAt } = await waitForBackup(id);
    const next = new Date(body.nextAt);
    if (body.nextAt.slice(0, 10) !== createdAt.slice(0, 10)) next.setUTCDate(next.getUTCDate() + 1);
    await waitForBackup(id, ({ expiresAt }) => expiresAt === next.toISOString());
    done(await admin.patch(`/api/backups/${id}`, { pinned: true }));
    expect(await waitForBackup(id, ({ pinned }) => pinned)).toMatchObject({ expiresAt: null });
    done(await admin.put('/api/backups/schedule', { ...schedule, enabled: false }));
  });

  it('refuses an invalid time and an unknown time zone', async () => {
    const { status, body } = await admin.put('/api/backups/schedule', {
      enabled: true,
      every: 'DAY',
      at: '24:00',
      zone: 'Mars/Olympus',
      keep,
    });
    expect([status, body.details.map(({ path }: Json) => path)]).toEqual([400, ['at', 'zone']]);
  });
});
