/** Makes the manifest of a purge: compares each event with its audit row, and lists the event digests in parts. */
import type { Purge, PurgedEvent, PurgedStream, RecordedEvent } from '@rdm/contracts';
import type { Client, EventStore } from '@rdm/platform';
import { digestOf } from '@rdm/platform/event-store/audit-chain';
import { openManifestRoot, signedManifest } from '@rdm/platform/event-store/purge-manifest';
import type { SigningKey } from '@rdm/platform/identity/signing-key';
import { MaintenanceError } from '../errors.ts';
import { servingTables } from './serving.ts';

const READ_AT_ONCE = 500;

/** Copies the audit rows of the streams into a temporary table, from which they are read in batches. */
export async function copyAuditRows(client: Client, streams: readonly PurgedStream[]): Promise<void> {
  const serving = await servingTables(client);
  await client.query('DROP TABLE IF EXISTS purged_events');
  await client.query(
    `CREATE TEMP TABLE purged_events AS
       SELECT seq, stream, stream_revision AS revision, digest, type, actor_id, at
         FROM ${serving('audit_log', 'audit_logs')} WHERE stream = ANY($1)`,
    [streams.map(({ stream }) => stream)],
  );
  await client.query('CREATE UNIQUE INDEX ON purged_events (stream, revision)');
  await client.query('CREATE UNIQUE INDEX ON purged_events (seq)');
}

/**
 * Compares each event of the streams with its audit row. Rejects with a `MaintenanceError` at the first event or row
 * that differs or is missing.
 */
export async function compareEvents(
  client: Client,
  store: Pick<EventStore, 'read'>,
  streams: readonly PurgedStream[],
  onCompared: (events: number) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const { stream, revision: last } of streams) {
    for (let from = 0; from <= last; from += READ_AT_ONCE) {
      signal.throwIfAborted();
      const events: RecordedEvent[] = [];
      for await (const event of store.read(stream, from, Math.min(READ_AT_ONCE, last + 1 - from))) events.push(event);
      const { rows } = await client.query<{ seq: number; revision: number; digest: string }>(
        'SELECT seq, revision, digest FROM purged_events WHERE stream = $1 AND revision >= $2 ORDER BY revision LIMIT $3',
        [stream, from, READ_AT_ONCE],
      );
      for (let index = 0; index < Math.min(READ_AT_ONCE, last + 1 - from); index += 1) {
        const [event, row] = [events[index], rows[index]];
        const isSame =
          event?.revision === from + index &&
          row?.revision === from + index &&
          digestOf({ ...event, seq: row.seq }) === row.digest;
        if (isSame) continue;
        const place = `${stream} at revision ${from + index}`;
        throw new MaintenanceError(
          'AUDIT_DIFFERS',
          `The event store and the audit log differ in ${place}. Verify the audit log before the purge is resumed.`,
        );
      }
      onCompared(Math.min(from + READ_AT_ONCE, last + 1) - from);
    }
  }
}

export interface ManifestPart {
  part: number;
  streams: PurgedStream[];
  events: PurgedEvent[];
}

/** Yields the parts of a manifest with at most `max` items each: first the streams, then the events ordered by seq. */
export async function* manifestParts(
  client: Client,
  streams: readonly PurgedStream[],
  max: number,
): AsyncGenerator<ManifestPart> {
  let part = 0;
  for (let from = 0; from < streams.length; from += max) {
    yield { part: part++, streams: streams.slice(from, from + max), events: [] };
  }
  for (let last = 0; ; ) {
    const { rows } = await client.query<Omit<PurgedEvent, 'at'> & { at: Date }>(
      `SELECT seq, digest, type, actor_id AS "actorId", at FROM purged_events WHERE seq > $1 ORDER BY seq LIMIT $2`,
      [last, max],
    );
    if (rows.length === 0) return;
    last = rows.at(-1)?.seq ?? last;
    const events = rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }));
    yield { part: part++, streams: [], events };
  }
}

export interface SealedManifest {
  purgeId: number;
  parts: number;
  streams: number;
  events: number;
  root: string;
  keyId: string;
  signature: string;
}

/** Reports the parts that are not recorded yet, and returns the seal. */
export async function sealManifest(
  client: Client,
  streams: readonly PurgedStream[],
  { purgeId, parts: recorded }: Pick<Purge, 'purgeId' | 'parts'>,
  signingKey: SigningKey,
  partMax: number,
  report: (part: ManifestPart) => Promise<void>,
): Promise<SealedManifest> {
  const root = openManifestRoot();
  const counts = { parts: 0, streams: 0, events: 0 };
  for await (const part of manifestParts(client, streams, partMax)) {
    for (const line of [...part.streams, ...part.events]) root.add(line);
    counts.parts += 1;
    counts.streams += part.streams.length;
    counts.events += part.events.length;
    if (part.part >= recorded) await report(part);
  }
  const manifest = { purgeId, streams: counts.streams, events: counts.events, root: root.digest() };
  const signature = signingKey.sign(signedManifest(manifest)).toString('base64');
  return { ...manifest, parts: counts.parts, keyId: signingKey.keyId, signature };
}
