/** Tests the verification of intact and manipulated exports of a log with a purge. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { PurgedEvent, SignedHead } from '@rdm/contracts';
import { eventMetadata } from '@rdm/contracts/testing/events';
import { signedHead } from '@rdm/platform';
import { digestOf, GENESIS, linkTo } from '@rdm/platform/event-store/audit-chain';
import { keyRegistered, purgeEvents, type TestEvent, testSigningKey } from '@rdm/platform/testing/purge-events';
import { afterAll, describe, expect, it } from 'vitest';
import { verifyLog } from './verify-log.ts';

const KEY = testSigningKey();
const OTHER = testSigningKey();
const LOG = '00000000-0000-4000-8000-000000000000';
const folder = mkdtempSync(join(tmpdir(), 'rdm-verify-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Line = { seq: number; digest: string } & Record<string, unknown>;

/** Returns the lines that an export has for the events, numbered from `first`. */
function linesOf(events: readonly TestEvent[], first = 1): Line[] {
  const revisions = new Map<string, number>();
  return events.map(({ stream, type, data, actorId }, index) => {
    const revision = (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    const seq = first + index;
    const id = `00000000-0000-4000-8000-${String(seq).padStart(12, '0')}`;
    const metadata = eventMetadata({ actorId, occurredAt: new Date(Date.UTC(2026, 10, 20, 0, 0, seq)).toISOString() });
    const event = { seq, stream, revision, id, type, metadata, data };
    return { ...event, digest: digestOf(event) };
  });
}

const chainOf = (lines: readonly Line[]) => lines.reduce((hash, { digest }) => linkTo(hash, digest), GENESIS);

function headOf(lines: readonly Line[], seq = lines.length, key = KEY): SignedHead {
  const head = { logId: LOG, seq, chainHash: chainOf(lines.slice(0, seq)), at: '2026-11-26T00:00:00.000Z' };
  const signature = key.sign(signedHead({ ...head, keyId: key.keyId })).toString('base64');
  return { ...head, keyId: key.keyId, signature };
}

const changed = (stream: string, name: string): TestEvent => ({
  stream,
  type: 'DataSetDetailsChanged',
  data: { name },
  actorId: 3,
});

/** The lines of the log before the purge, which deletes the events 3, 5 and 6. */
const before = linesOf([
  keyRegistered(KEY),
  changed('dataSet-1', 'a'),
  changed('dataSet-2', 'b'),
  changed('dataSet-1', 'c'),
  changed('dataSet-2', 'd'),
  changed('dataSet-2', 'e'),
  changed('dataSet-1', 'f'),
]);
const purged: PurgedEvent[] = before.flatMap(({ seq, digest, stream, type, metadata }) => {
  const { actorId, occurredAt } = metadata as { actorId: number; occurredAt: string };
  return stream === 'dataSet-2' ? [{ seq, digest, type: String(type), actorId, at: occurredAt }] : [];
});

function purgedLog({ change = (events: TestEvent[]) => events, key = KEY } = {}): Line[] {
  const streams = [{ stream: 'dataSet-2', revision: 2 }];
  const events = change(purgeEvents({ purgeId: 4, streams, events: purged, key }));
  const entries = new Map(purged.map((event) => [event.seq, { ...event, purgeId: 4 }]));
  return [
    ...before.map((line) => entries.get(line.seq) ?? line),
    ...linesOf([...events, changed('dataSet-1', 'g')], before.length + 1),
  ];
}

const lines = purgedLog();
const head = headOf(lines);

let files = 0;
function write(
  exported: readonly unknown[],
  { hasHead = true, encode = gzipSync as (text: string) => Buffer | string } = {},
) {
  const file = join(folder, `log-${++files}.ndjson.gz`);
  const { keyId: _, signature: __, ...unsignedHead } = headOf(exported as Line[]);
  const all = hasHead ? [...exported, { head: unsignedHead }] : exported;
  writeFileSync(file, encode(all.map((line) => `${JSON.stringify(line)}\n`).join('')));
  return file;
}
const verify = (file: string, savedHead = head, keys = [KEY.publicKey]) => verifyLog(file, { head: savedHead, keys });

describe('an intact export', () => {
  it('is verified, with the users and the reason of its purge', async () => {
    expect(await verify(write(lines))).toEqual({
      ...{ intact: true, verified: lines.length, brokenAt: null, notes: [], purged: 3 },
      head: { seq: lines.length, chainHash: head.chainHash },
      purges: [
        {
          ...{ purgeId: 4, events: 3, at: expect.any(String), reason: 'retention R7' },
          ...{ requestedBy: 'user 1', confirmedBy: 'user 2' },
        },
      ],
      summary: `Intact. ${lines.length} events; 3 known by digest only: purge 4, 2026-11-20, by user 1, confirmed by user 2: 'retention R7'.`,
    });
  });

  it('can also be read without compression', async () => {
    expect(await verify(write(lines, { encode: (text) => text }))).toMatchObject({ intact: true });
  });

  it('is verified with a note if the head is older than the purge', async () => {
    const headBeforePurge = headOf(before);
    expect(await verify(write(before), headBeforePurge)).toMatchObject({ intact: true, purged: 0 });
    expect(await verify(write(lines), headBeforePurge)).toMatchObject({
      intact: true,
      notes: [
        'Purge 4 is newer than the exported head that you compare with',
        'Events after 7 are newer than the exported head that you compare with: only a later head proves them',
      ],
    });
  });

  it('is verified with a note if the head belongs to another log, as after a restore', async () => {
    const other = { ...head, logId: LOG.replace('4', '5') };
    const signature = KEY.sign(signedHead(other)).toString('base64');
    const { intact, notes } = await verify(write(lines), { ...other, signature });
    expect({ intact, notes }).toEqual({ intact: true, notes: [expect.stringContaining('restored from a backup')] });
  });

  it('is verified with a manifest that an earlier key of the log signed', async () => {
    const rotated = [...lines, ...linesOf([keyRegistered(OTHER)], lines.length + 1)];
    expect(await verify(write(rotated), headOf(rotated, undefined, OTHER), [OTHER.publicKey])).toMatchObject({
      intact: true,
    });
  });
});

describe('a head', () => {
  it.each([
    ['of another key', headOf(lines, undefined, OTHER)],
    ['that was altered', { ...head, seq: 5 }],
    ['whose signature was altered', { ...head, signature: headOf(before).signature }],
  ])('%s is refused', async (_, savedHead) => {
    await expect(verify(write(lines), savedHead)).rejects.toMatchObject({ code: 'UNKNOWN_KEY' });
  });
});

const lineAt = (seq: number) => lines[seq - 1] as Line;
const replace = (seq: number, line: object) => lines.map((each) => (each.seq === seq ? { ...each, ...line } : each));
/** Returns an event with other data and the matching digest. */
const forgeEvent = (seq: number, data: object): Line => {
  const event = { ...lineAt(seq), data } as never as Parameters<typeof digestOf>[0] & { digest?: string };
  delete event.digest;
  return { ...event, digest: digestOf(event) } as never as Line;
};

describe('a manipulated export', () => {
  it.each<[string, readonly unknown[], number, string]>([
    ['an altered event', replace(4, { data: { name: 'x' } }), 4, 'Digest of event 4 differs'],
    ['altered metadata', replace(4, { metadata: eventMetadata({ actorId: 9 }) }), 4, 'Digest of event 4 differs'],
    ['an altered digest', replace(4, { digest: 'f'.repeat(64) }), 4, 'Digest of event 4 differs'],
    ['a deleted event', lines.filter(({ seq }) => seq !== 4), 4, 'Event 4 is missing and no purge names it'],
    ['a deleted purged event', lines.filter(({ seq }) => seq !== 5), 5, 'Event 5 is missing and no purge names it'],
    [
      'two events in another order',
      [...lines.slice(0, 1), lineAt(3), lineAt(2), ...lines.slice(3)],
      2,
      'Event 2 is out of order',
    ],
    ['a repeated event', [...lines.slice(0, 4), ...lines.slice(3)], 5, 'Event 4 is in the place of event 5'],
    [
      'missing last events',
      lines.slice(0, -2),
      lines.length - 1,
      `The export ends before the head, which is event ${lines.length}`,
    ],
    ['a purged event with another digest', replace(5, { digest: 'f'.repeat(64) }), 5, 'Digest of event 5 differs'],
    ['a purged event with another user', replace(5, { actorId: 9 }), 5, 'Digest of event 5 differs'],
    [
      'an event in the form of a purged event',
      lines.map((line) =>
        line.seq === 4 ? { seq: 4, digest: line.digest, type: 'X', actorId: 1, at: 'x', purgeId: 4 } : line,
      ),
      4,
      'Event 4 is missing and no purge names it',
    ],
    [
      'an event in the form of a purged event of an unknown purge',
      lines.map((line) =>
        line.seq === 4 ? { seq: 4, digest: line.digest, type: 'X', actorId: 1, at: 'x', purgeId: 5 } : line,
      ),
      4,
      'Event 4 is missing and no purge names it',
    ],
    [
      'an event replaced together with its digest',
      lines.map((line) => (line.seq === 4 ? forgeEvent(4, { name: 'x' }) : line)),
      lines.length,
      `The chain hash at event ${lines.length} differs from the hash in the head: this event or an earlier one was replaced`,
    ],
  ])('is reported with a seq and a reason: %s', async (_, exported, seq, reason) => {
    const result = await verify(write(exported));
    expect(result).toMatchObject({ intact: false, verified: seq - 1, brokenAt: { seq, reason } });
    expect(result.summary).toBe(`Broken at event ${seq}: ${reason}.`);
  });

  it('is reported if the file is incomplete', async () => {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const cutFile = join(folder, 'cut.ndjson');
    writeFileSync(cutFile, text.slice(0, -20));
    expect(await verify(cutFile)).toMatchObject({
      brokenAt: { seq: lines.length, reason: expect.stringContaining('cannot be read') },
    });
    writeFileSync(cutFile, gzipSync(text).subarray(0, 300));
    expect((await verify(cutFile)).brokenAt?.reason).toMatch(/cut off/);
    expect(await verify(write(lines, { hasHead: false }))).toMatchObject({
      brokenAt: { reason: 'The file is incomplete: its last line, the head, is missing' },
    });
  });
});

describe('a manifest in an export', () => {
  const change = (type: string, data: object) => (events: TestEvent[]) =>
    events.map((event) => (event.type === type ? { ...event, data: { ...(event.data as object), ...data } } : event));

  it.each<[string, Line[], string]>([
    [
      'that is missing',
      purgedLog({ change: (all) => all.filter(({ stream }) => stream === 'system-purges') }),
      'Purge 4: no manifest',
    ],
    ['that no key of the log signed', purgedLog({ key: OTHER }), 'Purge 4: unknown signature'],
    [
      'without a signature',
      purgedLog({ change: change('PurgeManifestSealed', { signature: '' }) }),
      'Purge 4: wrong signature',
    ],
    [
      'with another root',
      purgedLog({ change: change('PurgeManifestSealed', { root: 'f'.repeat(64) }) }),
      'Purge 4: its manifest was altered',
    ],
    [
      'that was cut',
      purgedLog({ change: change('PurgeManifestPart', { events: [] }) }),
      'Purge 4: its manifest is incomplete',
    ],
    [
      'that is not registered',
      purgedLog({ change: (all) => all.filter(({ type }) => type !== 'PurgeRegistered') }),
      'Event 3 is missing and no purge names it',
    ],
  ])('%s proves nothing', async (_, exported, reason) => {
    expect(await verify(write(exported), headOf(exported))).toMatchObject({
      intact: false,
      brokenAt: { seq: 3, reason },
    });
  });

  it('is not accepted from a key that is registered after the head', async () => {
    const log = purgedLog({ key: OTHER, change: (all) => [keyRegistered(OTHER), ...all] });
    expect(await verify(write(log), headOf(before))).toMatchObject({
      brokenAt: { reason: 'Purge 4: unknown signature' },
    });
    expect(await verify(write(log), headOf(log))).toMatchObject({ intact: true });
  });
});
