/**
 * An administrator makes backups while the product runs, by hand and by schedule, and verifies, downloads, pins and
 * deletes backups. This story runs on its own stack, because an installation has one schedule and makes one backup at a
 * time.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { overwriteMiddle } from '../overwrite-middle.ts';
import {
  ADMIN_PASSWORD,
  admin,
  fileOf,
  signIn,
  stack,
  startBackupStack,
  verify,
  waitForBackup,
} from './backup-stack.ts';
import { done } from './fixtures.ts';
import type { Json } from './http-client.ts';
import { newBackup } from './permissions/fixture.ts';

startBackupStack();

/** Makes a backup as the schedule does. Retries while another backup runs, because only one backup can run. */
async function makeScheduledBackup(): Promise<number> {
  const readStored = (name: string) => JSON.parse(readFileSync(join(stack.dataDir, name), 'utf8'));
  const { serviceSecret } = readStored('secrets.json');
  const start = async () => {
    const answer = await fetch(`http://127.0.0.1:${readStored('ports.json')['command-api']}/internal/backups`, {
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

describe('a backup', () => {
  it('is made and verified while the product runs, and shows its number of events and its SHA-256', async () => {
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

  it('is downloaded only by the session that confirmed the password', async () => {
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

  it('is reported as damaged until a verification finds the backup intact', async () => {
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

  it('can be pinned, and is deleted together with its file', async () => {
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

describe('an encrypted backup', () => {
  it('is refused with a short passphrase', async () => {
    expect(await admin.post('/api/backups', { passphrase: 'short' })).toMatchObject({ status: 400 });
  });
});

describe('the schedule', () => {
  const keep = { daily: 7, weekly: 4, monthly: 12 };
  /** Waits until the next backup of the schedule is at this time of day in UTC; returns the schedule. */
  const waitForScheduleAt = async (time: string): Promise<Json> =>
    (await admin.eventually('/api/backups/schedule', ({ body }) => body.nextAt?.slice(11, 16) === time)).body;

  it('shows the time of the next backup, computed in the time zone of the schedule', async () => {
    const schedule = { enabled: true, every: 'WEEK', weekday: 7, at: '03:30', zone: 'Asia/Tokyo', keep };
    done(await admin.put('/api/backups/schedule', schedule));
    const body = await waitForScheduleAt('18:30');
    expect(body).toMatchObject({ ...schedule, isSet: true });
    const next = new Date(body.nextAt);
    expect(next.getTime()).toBeGreaterThan(Date.now());
    expect(next.getUTCDay()).toBe(6);
    done(await admin.put('/api/backups/schedule', { ...schedule, enabled: false }));
  });

  it('sets when a scheduled backup expires, unless the backup is pinned', async () => {
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
    // The schedule keeps the last backup of each of two days. A later backup of the same day replaces this backup;
    // without a later backup, the backup of the second day after `createdAt` replaces this backup.
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
