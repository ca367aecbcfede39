/** Tests that the verification of a backup detects damage and reports its place. */
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { keyRegistered, purgeEvents, type TestEvent, testSigningKey } from '@rdm/platform/testing/purge-events';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  entriesIn,
  flipBit,
  newKey,
  type PlacedEntry,
  record,
  type TestBackup,
  writeTestBackup,
} from './fixtures/backup-file.ts';
import type { LogRecord } from './format/entries.ts';
import { verifyFile } from './verify-file.ts';

const key = newKey();
const backup: TestBackup = {
  tables: { 'identity.users': [Buffer.from('1\tann\n2\tben\n'), Buffer.from('3\tcem\n')] },
  log: [[record(1), record(2)], [record(3)]],
  key,
};

let folder: string;
let file: string;
let original: Buffer;
let archive: Buffer;
let entries: PlacedEntry[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rdm-verify-'));
  file = await writeTestBackup(folder, backup);
  original = readFileSync(file);
  archive = gunzipSync(original);
  entries = entriesIn(archive);
});
beforeEach(() => writeFileSync(file, original));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Compresses a changed copy of the archive, so that the checksum of gzip is correct. */
const changeArchive = (change: (bytes: Buffer) => Buffer) =>
  writeFileSync(file, gzipSync(change(archive), { level: 1 }));

const verify = (more: Partial<Parameters<typeof verifyFile>[1]> = {}) =>
  verifyFile(file, { trustedKeys: [key.publicKey], ...more });
const damagedAt = (entry: unknown) => ({
  code: 'BACKUP_DAMAGED',
  entry,
  message: expect.stringMatching(/Use another copy/),
});

it('verifyFile accepts an undamaged file and returns a checksum', async () => {
  const { sha256, bytes, isKeyTrusted, trailer, encrypted } = await verify();
  expect({ bytes, isKeyTrusted, encrypted, events: trailer.events }).toEqual({
    bytes: original.length,
    isKeyTrusted: true,
    encrypted: false,
    events: 3,
  });
  expect(sha256).toMatch(/^[0-9a-f]{64}$/);
});

describe('a file that ends early', () => {
  it('is refused if the archive ends between two entries', async () => {
    for (const { start, name } of entries) {
      changeArchive((bytes) => Buffer.concat([bytes.subarray(0, start), Buffer.alloc(1024)]));
      await expect(verify(), name).rejects.toMatchObject(damagedAt('trailer.json'));
    }
  });

  it('is refused if the archive ends within an entry, and the error names the entry', async () => {
    for (const { content, end, name } of entries) {
      changeArchive((bytes) => bytes.subarray(0, Math.floor((content + end) / 2)));
      await expect(verify(), name).rejects.toMatchObject(damagedAt(name));
    }
  });

  it('is refused if the compressed file ends within an entry, and the error names the entry', async () => {
    truncateSync(file, Math.floor(original.length / 2));
    await expect(verify()).rejects.toMatchObject(damagedAt(expect.stringMatching(/^(tables|log|sequences)/)));
  });

  it('is refused at many lengths of the compressed file', async () => {
    for (let length = original.length - 1; length >= 0; length -= 7) {
      truncateSync(file, length);
      await expect(verify(), String(length)).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });
    }
  });
});

describe('one flipped bit', () => {
  it('is refused in every entry, although the checksum of gzip is correct', async () => {
    for (const { content, end, name } of entries) {
      for (const at of [content, Math.floor((content + end) / 2), end - 1]) {
        changeArchive((bytes) => flipBit(bytes, at, 2));
        const outcome = verify();
        // A changed header may contain another format or other tables.
        await expect(outcome, `${name} ${at}`).rejects.toMatchObject(
          name === 'header.json' ? { code: expect.stringMatching(/DAMAGED|NEWER/) } : damagedAt(name),
        );
      }
    }
  });

  it('is refused in the name of every entry', async () => {
    for (const { start, name } of entries) {
      changeArchive((bytes) => flipBit(bytes, start + 2));
      await expect(verify(), name).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });
    }
  });

  it('is refused at every third byte of the compressed file, if the flip changes the content', async () => {
    for (let at = 0; at < original.length; at += 3) {
      const flipped = flipBit(original, at, at % 8);
      writeFileSync(file, flipped);
      // Some bits have no meaning, such as the time in the header of gzip: skip them.
      if (decompress(flipped)?.equals(archive)) continue;
      await expect(verify(), `byte ${at}`).rejects.toMatchObject({ code: expect.stringMatching(/DAMAGED|NEWER/) });
    }
  });
});

function decompress(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes);
  } catch {
    return undefined;
  }
}

describe('an archive with other entries', () => {
  const without = (removed: PlacedEntry) => (bytes: Buffer) => {
    const next =
      entries.find(({ start }) => start > removed.start)?.start ?? removed.end + ((512 - (removed.end % 512)) % 512);
    return Buffer.concat([bytes.subarray(0, removed.start), bytes.subarray(next)]);
  };

  it('is refused when any entry is missing', async () => {
    for (const entry of entries) {
      changeArchive(without(entry));
      await expect(verify(), entry.name).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });
    }
  });

  it('is refused when an entry follows the trailer', async () => {
    const first = entries[0] as PlacedEntry;
    const second = entries[1] as PlacedEntry;
    const end = archive.length - 1024;
    changeArchive((bytes) =>
      Buffer.concat([bytes.subarray(0, end), bytes.subarray(first.start, second.start), bytes.subarray(end)]),
    );
    await expect(verify()).rejects.toMatchObject(damagedAt('header.json'));
  });
});

describe('a signature', () => {
  it('is refused when an untrusted key made it', async () => {
    const other = newKey();
    await writeTestBackup(folder, { ...backup, key: other });
    await expect(verify()).rejects.toMatchObject({
      code: 'UNKNOWN_KEY',
      entry: 'trailer.json',
      message: expect.stringContaining('signed by a key that only this file names'),
    });
    await expect(verify({ trustFileKey: true })).resolves.toMatchObject({ isKeyTrusted: false });
    await expect(verify({ trustedKeys: [key.publicKey, other.publicKey] })).resolves.toMatchObject({
      isKeyTrusted: true,
    });
  });

  it('is refused when the trailer names the trusted key, but another key signed the trailer', async () => {
    const { trailer } = await verify();
    const { keyId, publicKey } = trailer;
    await writeTestBackup(folder, { ...backup, key: newKey(), trailer: { keyId, publicKey } });
    await expect(verify()).rejects.toMatchObject(damagedAt('trailer.json'));
    await expect(verify({ trustFileKey: true })).rejects.toMatchObject(damagedAt('trailer.json'));
  });

  it('is refused when the trailer was changed after signing', async () => {
    changeArchive((bytes) => Buffer.from(bytes.toString('latin1').replace('"events":3', '"events":4'), 'latin1'));
    await expect(verify()).rejects.toMatchObject(damagedAt('trailer.json'));
  });

  it.each([
    ['a wrong chain hash', { cut: { position: '1000', seq: 3, chainHash: 'f'.repeat(64) } }, 'hash chain'],
    ['a wrong number of events', { events: 4 }, 'names 4 events'],
    ['a wrong position', { cut: { position: '999', seq: 3, chainHash: 'f'.repeat(64) } }, 'position'],
  ])('does not make a trailer valid with %s', async (_, trailer, problem) => {
    await writeTestBackup(folder, { ...backup, trailer });
    await expect(verify()).rejects.toMatchObject(damagedAt('trailer.json'));
    await expect(verify()).rejects.toThrow(problem);
  });
});

describe('an unreadable file', () => {
  it('with a newer format is refused, and the error names the remedy', async () => {
    await writeTestBackup(folder, { ...backup, header: { format: 3 } });
    await expect(verify()).rejects.toMatchObject({
      code: 'NEWER_FORMAT',
      message: expect.stringContaining('Install the version that wrote it'),
    });
  });

  it.each([
    ['that is empty', Buffer.alloc(0)],
    ['that is no archive', Buffer.from('hello')],
    ['that contains something else', gzipSync(Buffer.from('hello'))],
  ])('%s is refused', async (_, bytes) => {
    writeFileSync(file, bytes);
    await expect(verify()).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' });
  });
});

describe('an encrypted file', () => {
  const passphrase = 'correct horse battery staple';
  let encrypted: Buffer;
  beforeAll(async () => {
    encrypted = readFileSync(await writeTestBackup(folder, { ...backup, passphrase }));
  });
  beforeEach(() => writeFileSync(file, encrypted));

  it('is verified with its passphrase, and refused with another passphrase or without one', async () => {
    await expect(verify({ passphrase })).resolves.toMatchObject({ encrypted: true });
    await expect(verify({ passphrase: 'wrong' })).rejects.toMatchObject({ code: 'WRONG_PASSPHRASE' });
    await expect(verify()).rejects.toMatchObject({ code: 'WRONG_PASSPHRASE' });
  });
});

it('verifyFile stops when its signal aborts', async () => {
  const abort = new AbortController();
  const onProgress = () => abort.abort(new Error('interrupted'));
  await expect(verify({ signal: abort.signal, onProgress })).rejects.toThrow('interrupted');
});

describe('a file of a log with a purge', () => {
  const KEY = testSigningKey();
  const line = { seq: 2, digest: 'd'.repeat(64), type: 'DataSetPublished', actorId: 1, at: '2026-01-01T00:00:00.000Z' };
  const streams = [{ stream: 'dataSet-2', revision: 0 }];
  const entry = (data: object = line) =>
    record(2, {
      stream: '$purged-4',
      revision: 2n,
      metadata: Buffer.alloc(0),
      data: Buffer.from(JSON.stringify(data)),
    });
  const events = (testEvents: readonly TestEvent[]) =>
    testEvents.map(({ stream, type, data }, index) =>
      record(100 + index, {
        ...{ stream, type, data: Buffer.from(JSON.stringify(data)) },
        revision: BigInt(testEvents.slice(0, index).filter((other) => other.stream === stream).length),
      }),
    );
  const purge = purgeEvents({ purgeId: 4, streams, events: [line], key: KEY });
  const write = (log: LogRecord[], purges = ['4']) => writeTestBackup(folder, { key, log: [log], trailer: { purges } });
  const manifest = events([keyRegistered(KEY), ...purge]);

  it('is intact if the manifest names the entries that replace purged events', async () => {
    await write([record(1), entry(), ...manifest]);
    await expect(verify()).resolves.toMatchObject({ trailer: { events: 9, purges: ['4'] } });
  });

  it.each<[string, LogRecord[], string]>([
    [
      'an entry with another digest',
      [record(1), entry({ ...line, digest: 'e'.repeat(64) }), ...manifest],
      'Purge 4: its manifest names other events',
    ],
    ['one entry fewer', [record(1), ...manifest], 'Purge 4: its manifest names other events'],
    ['an entry of no purge', [record(1), entry()], 'Event 2 is missing and no purge names it'],
    ['a manifest that an unknown key signed', [record(1), entry(), ...events(purge)], 'Purge 4: unknown signature'],
    [
      'a manifest without its parts',
      [
        record(1),
        entry(),
        ...events([keyRegistered(KEY), ...purge.filter(({ type }) => type !== 'PurgeManifestPart')]),
      ],
      'Purge 4: its manifest is incomplete',
    ],
    ['no manifest', [record(1), entry(), ...events([keyRegistered(KEY), ...purge.slice(-1)])], 'Purge 4: no manifest'],
  ])('is refused with %s, although the hash chain and the signature are intact', async (_, log, problem) => {
    await write(log, log.length > 2 ? ['4'] : []);
    await expect(verify()).rejects.toMatchObject(damagedAt('log'));
    await expect(verify()).rejects.toThrow(problem);
  });

  it('is refused if the trailer does not name the purge', async () => {
    await write([record(1), entry(), ...manifest], []);
    await expect(verify()).rejects.toMatchObject(damagedAt('trailer.json'));
  });
});
