/** `npm run restore`: the restored data, the later changes that a restore repeats, refusals, and a kill. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from '@rdm/embedded/stack';
import { loadSigningKey } from '@rdm/platform';
import { beforeAll, describe, expect, it } from 'vitest';
import { overwriteMiddle } from '../overwrite-middle.ts';
import { HttpClient, type Json } from '../stories/http-client.ts';
import {
  backupOf,
  checksumsAtBackup,
  copyOf,
  createdIds,
  encryptedBackup,
  LATER_PASSWORD,
  laterBackup,
  launch,
  newUser,
  PASSWORD,
  quietBackup,
  remainingFolders,
  resultWhileRunning,
  root,
  run,
  secrets,
  signIn,
  useBackups,
} from './restore/backups.ts';
import { checksumsWhen, SEARCH_TABLES, waitUntilProjected } from './restore/checksums.ts';
import { killRestore, UNCHANGED } from './restore/kill.ts';

useBackups({ duringWrites: false });

async function callWithKey(stack: Stack, secret: string): Promise<number> {
  const headers = { Authorization: `Bearer ${secret}` };
  return (await fetch(`${stack.baseUrl}/api/reference-data`, { headers })).status;
}

describe('a restore', () => {
  it('is refused while the product runs', () => {
    expect(resultWhileRunning).toMatchObject({ code: 3, output: expect.stringContaining('Stop that instance first') });
  });

  it('restores the data of the backup, and repeats later revocations, deactivations and erasures', async () => {
    const dir = copyOf('quiet');
    const restored = await run('restore', ['--from', backupOf(dir, quietBackup), '--replace'], dir);
    expect(restored.code, restored.output).toBe(0);
    expect(remainingFolders(dir)).toEqual([]);
    const { stack, admin } = await launch(dir);
    expect((await admin.signIn('admin', PASSWORD)).status).toBe(200);
    await waitUntilProjected(stack, quietBackup['seq']);

    const ann = await new HttpClient(stack.baseUrl).signIn('ann', PASSWORD);
    expect(ann).toMatchObject({ status: 200, body: { requirePasswordChange: true } });
    expect(await signIn(stack, 'ann', LATER_PASSWORD)).toBe(401);
    for (const name of ['bob', 'eve', 'later']) expect(await signIn(stack, name, PASSWORD), name).toBe(401);
    expect(await callWithKey(stack, secrets['kept'] as string)).toBe(200);
    expect(await callWithKey(stack, secrets['revoked'] as string)).toBe(401);
    const sums = await checksumsWhen(stack, quietBackup['seq'], ({ tables }) =>
      SEARCH_TABLES.every((table) => tables[table] === checksumsAtBackup.tables[table]),
    );
    expect(sums.audit).toBe(checksumsAtBackup.audit);

    const { body: crosswalk } = await admin.get(`/api/crosswalks/${createdIds['crosswalk']}`);
    expect(crosswalk.id).toBe(createdIds['crosswalk']);
    expect((await admin.get(`/api/reference-data/${createdIds['laterDataSet']}`)).status).toBe(404);
    const user = await newUser(admin, 'newcomer');
    expect(user).toBeGreaterThan(createdIds['later'] as number);

    const { body } = await admin.eventually(
      '/api/backups',
      (answer) =>
        answer.body.items.every((each: Json) => each.verifiedAt !== null || each.status !== 'DONE') &&
        answer.body.items.length > 1,
    );
    const byName = new Map<string, Json>(body.items.map((each: Json) => [each.fileName, each]));
    expect(byName.get(quietBackup['fileName'])).toMatchObject({ id: quietBackup['id'], status: 'DONE' });
    const { fileName: later, trigger, createdAt, sha256 } = laterBackup;
    expect(byName.get(laterBackup['fileName'])).toMatchObject({
      fileName: later,
      trigger,
      createdAt,
      sha256,
      status: 'DONE',
    });
    const safety = body.items.find((each: Json) => each.fileName?.includes('before_restore'));
    expect(safety).toMatchObject({ trigger: 'RESTORE', status: 'DONE' });
    expect(existsSync(join(dir, 'backups', quietBackup['fileName']))).toBe(true);
    const { body: activities } = await admin.get('/api/audit-logs/activities');
    const lines = activities.items.map(({ line }: Json) => line);
    expect(lines).toEqual(
      expect.arrayContaining([
        `The system restored the backup ${quietBackup['fileName']}`,
        'The system deactivated the user bob',
        expect.stringMatching(/^The system revoked the API key/),
        'The system erased the user Former user',
      ]),
    );
    expect((await admin.get('/api/audit-logs/verify')).body).toMatchObject({ intact: true });
    // These tables differ, because the restore deactivates and erases users again, and because backups are jobs.
    const withoutChangedTables = ({
      'collections.members': _,
      'jobs.import_jobs': __,
      ...tables
    }: Record<string, string>): Record<string, string> => tables;
    expect(Object.keys(withoutChangedTables(sums.tables)).length).toBeGreaterThan(25);
    expect(withoutChangedTables(sums.tables)).toEqual(withoutChangedTables(checksumsAtBackup.tables));
  });
});

describe('a restore is refused and changes nothing', () => {
  let dir: string;
  beforeAll(() => {
    dir = copyOf('refused');
  });
  const filesInFolder = () =>
    readdirSync(dir, { recursive: true })
      .filter((name) => !/processes|launcher\.lock/.test(String(name)))
      .sort();

  async function expectRefused(bytes: Buffer, args: string[], message: string, code = 3): Promise<void> {
    const file = join(root, 'refused.tar.gz');
    writeFileSync(file, bytes);
    const before = filesInFolder();
    const ended = await run('restore', ['--from', file, ...args], dir);
    expect(ended).toMatchObject({ code, output: expect.stringContaining(message) });
    expect(filesInFolder()).toEqual(before);
  }
  const readQuietBackup = () => readFileSync(backupOf(dir, quietBackup));

  it('if --replace is missing', () => expectRefused(readQuietBackup(), [], 'Add --replace'));
  it('if the file is cut off', () =>
    expectRefused(
      readQuietBackup().subarray(0, readQuietBackup().length - 500),
      ['--replace'],
      'damaged at trailer.json',
    ));
  it('if bytes of the file are changed', () => {
    const bytes = overwriteMiddle(readQuietBackup());
    return expectRefused(bytes, ['--replace'], 'The backup is damaged at');
  });
  it('if the passphrase is wrong', () => {
    const file = join(root, 'wrong-passphrase');
    writeFileSync(file, 'not this one at all\n');
    return expectRefused(
      readFileSync(backupOf(dir, encryptedBackup)),
      ['--replace', '--passphrase-file', file],
      'The passphrase is not the one',
    );
  });
  it('if the key of --key did not sign the file', async () => {
    const publicKeyFile = join(root, 'other.pem');
    const { generateSigningKey } = await import('@rdm/platform');
    const privateKeyFile = join(root, 'other-private.pem');
    writeFileSync(privateKeyFile, generateSigningKey());
    writeFileSync(publicKeyFile, loadSigningKey(privateKeyFile).publicKey);
    const args = ['--replace', '--key', publicKeyFile];
    await expectRefused(readQuietBackup(), args, 'signed by a key that only this file names');
  });
});

describe('kill -9', () => {
  it.each([['stopped', 'prepared', UNCHANGED] as const])(
    'during a restore of the %s product, after the step “%s”, leaves the data unchanged',
    killRestore,
  );
});
