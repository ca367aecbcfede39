/** Tests the file format: written files are read again with the same content, and tar can open them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { record, writeTestBackup } from '../fixtures/backup-file.ts';
import type { LogRecord } from './entries.ts';
import { backup, createFolders, folder, key, partsOf, plenty } from './fixtures/written-files.ts';
import { decodeRecords, encodeRecord } from './records.ts';
import { groupRows, recordGroup } from './row-entries.ts';
import { openWriter } from './writer.ts';

createFolders();
const bytes = () => fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const records: fc.Arbitrary<LogRecord> = fc.record({
  stream: fc.string({ unit: 'grapheme', minLength: 1 }),
  revision: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  id: fc.uuid(),
  type: fc.string({ unit: 'grapheme' }),
  created: fc.integer({ min: 0, max: 8.64e15 }),
  isJson: fc.boolean(),
  metadata: bytes(),
  data: bytes(),
});

describe('records', () => {
  it('are the same after encoding and decoding', () => {
    fc.assert(
      fc.property(fc.array(records), (input) => {
        expect(decodeRecords(Buffer.concat(input.map(encodeRecord)))).toEqual(input);
      }),
    );
  });

  it('are rejected if a bit is flipped or bytes are cut off', () => {
    const encoded = encodeRecord(record(1));
    for (let at = 0; at < encoded.length; at += 1) {
      const flipped = Buffer.from(encoded);
      flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
      expect(() => decodeRecords(flipped)).toThrow(/^record 1 /);
      if (at > 0) expect(() => decodeRecords(encoded.subarray(0, at))).toThrow('record 1 is cut off');
    }
  });
});

describe('entries', () => {
  const rows = fc.array(fc.string({ maxLength: 60 }).map((text) => `${text.replaceAll('\n', '')}\n`));

  it('contain all rows in order, and exceed the given size only for a single longer row', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 80 }),
        async (input, size, step) => {
          const text = Buffer.from(input.join(''));
          async function* pieces() {
            for (let at = 0; at < text.length; at += step) yield text.subarray(at, at + step);
          }
          const entries = [];
          for await (const entry of groupRows(pieces(), size)) entries.push(entry);
          expect(Buffer.concat(entries.map(({ content }) => content))).toEqual(text);
          expect(entries.reduce((sum, entry) => sum + entry.rows, 0)).toBe(input.length);
          for (const { content, rows } of entries) {
            expect(content.at(-1)).toBe(0x0a);
            expect(content.length <= size || rows === 1).toBe(true);
          }
        },
      ),
    );
  });

  it('contain all records in order, and exceed the given size only for a single longer record', () => {
    fc.assert(
      fc.property(fc.array(bytes()), fc.integer({ min: 1, max: 300 }), (input, size) => {
        const group = recordGroup(size);
        const entries = [...input.map((each) => group.add(each)), group.take()].filter((entry) => entry !== undefined);
        expect(Buffer.concat(entries.map(({ content }) => content))).toEqual(Buffer.concat(input));
        expect(entries.reduce((sum, entry) => sum + entry.rows, 0)).toBe(input.length);
        for (const { content, rows } of entries) expect(content.length <= size || rows === 1).toBe(true);
      }),
    );
  });
});

describe('a file', () => {
  it('is read as it was written', async () => {
    const parts = await partsOf(await writeTestBackup(folder, backup));
    expect(parts.map(({ kind }) => kind)).toEqual([
      ...['header', 'rows', 'rows', 'rows', 'sequences', 'records', 'records', 'trailer'],
    ]);
    const rows = parts.flatMap((part) => (part.kind === 'rows' ? [[part.entry, part.table.name, part.rows]] : []));
    expect(rows).toEqual([
      ['tables/identity.users/0001', 'identity.users', 2],
      ['tables/identity.users/0002', 'identity.users', 1],
      ['tables/jobs.logs/0001', 'jobs.logs', 1],
    ]);
    expect(parts.flatMap((part) => (part.kind === 'records' ? part.records : []))).toEqual(backup.log.flat());
    const trailer = parts.at(-1);
    expect(trailer).toMatchObject({ trailer: { events: 2, cut: { seq: 2 }, purges: [] } });
  });

  it('is read as it was written for random rows and records', async () => {
    const text = fc.string({ unit: 'grapheme' }).map((each) => Buffer.from(`${each.replaceAll('\n', '')}\n`));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(records, { minLength: 1 }), { maxLength: 3 }),
        fc.array(fc.array(text, { minLength: 1, maxLength: 3 }).map(Buffer.concat), { maxLength: 3 }),
        async (log, rows) => {
          const parts = await partsOf(await writeTestBackup(folder, { tables: { 'a.b': rows }, log, key }));
          expect(parts.flatMap((part) => (part.kind === 'records' ? [part.records] : []))).toEqual(log);
          expect(parts.flatMap((part) => (part.kind === 'rows' ? [part.content] : []))).toEqual(rows);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('is opened by tar', async () => {
    const file = await writeTestBackup(folder, backup);
    expect(execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).trim().split('\n')).toEqual([
      'header.json',
      'tables/identity.users/0001',
      'tables/identity.users/0002',
      'tables/jobs.logs/0001',
      'sequences.json',
      'log/000001',
      'log/000002',
      'trailer.json',
    ]);
    expect(execFileSync('tar', ['xzOf', file, 'tables/jobs.logs/0001'], { encoding: 'utf8' })).toBe('1\tx\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('writing', () => {
  it('gives the file its final name only when it is complete', async () => {
    const writer = await openWriter({ folder, fileName: 'a.tar.gz', freeSpace: async () => plenty });
    await writer.add('header.json', Buffer.from('{}'));
    expect(readdirSync(folder)).toEqual(['a.tar.gz.part']);
    await writer.finish();
    expect(readdirSync(folder)).toEqual(['a.tar.gz']);
  });

  it.each([
    ['is below 1 GiB', { free: 2 ** 30 - 1, size: 2 ** 31 }],
    ['is below 5 %', { free: 2 ** 40 / 25, size: 2 ** 40 }],
  ])('refuses to begin if the free space %s', async (_, space) => {
    const opened = openWriter({ folder, fileName: 'a.tar.gz', freeSpace: async () => space });
    await expect(opened).rejects.toMatchObject({ code: 'DISK_SPACE' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('stops when its signal aborts', async () => {
    const abort = new AbortController();
    const writer = await openWriter({
      folder,
      fileName: 'a.tar.gz',
      signal: abort.signal,
      freeSpace: async () => plenty,
    });
    await writer.add('header.json', Buffer.from('{}'));
    abort.abort(new Error('interrupted'));
    await expect(writer.add('log/000001', Buffer.from('x'))).rejects.toThrow('interrupted');
    await writer.discard();
    expect(existsSync(join(folder, 'a.tar.gz.part'))).toBe(false);
  });
});
