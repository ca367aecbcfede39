/** Relays the vault's outbox: appends each fact to the log once, in order per stream. */
import type { EventMetadata } from '@rdm/contracts';
import {
  ADVISORY_LOCKS,
  type EventStore,
  type Log,
  type NewEvent,
  type Pool,
  Purged,
  type Queryable,
  transaction,
  WrongRevision,
} from '@rdm/platform';

interface OutboxRow {
  id: number;
  event_id: string;
  stream: string;
  type: string;
  data: unknown;
  metadata: Omit<EventMetadata, 'schemaVersion' | 'occurredAt'> & { occurredAt: string };
}

const FACTS_AT_ONCE = 100;
/** A failure after this time ends the round, because each append to an unavailable store waits for its deadline. */
const FAILING_MS_MAX = 20_000;

/**
 * Appends waiting facts and returns the number of facts that it marked as sent. An advisory lock lets only one instance
 * relay at a time; another instance returns 0. A fact that cannot be appended delays only its own stream.
 */
export async function relayOutbox(pool: Pool, store: EventStore, log: Log): Promise<number> {
  return transaction(pool, async (client) => {
    const { rows: lock } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [
      ADVISORY_LOCKS.outboxRelay,
    ]);
    if (!lock[0]?.mine) return 0;
    const failed = new Set<string>();
    let sent = 0;
    const began = Date.now();
    for (;;) {
      const { rows } = await client.query<OutboxRow>(
        `SELECT * FROM identity.outbox WHERE sent_at IS NULL AND stream <> ALL($1) ORDER BY id LIMIT ${FACTS_AT_ONCE}`,
        [[...failed]],
      );
      for (const row of rows) {
        if (failed.has(row.stream)) continue;
        try {
          // Send outside the transaction of the lock: its rollback would unmark facts that are already in the log.
          await send(pool, store, row);
          sent += 1;
        } catch (error) {
          failed.add(row.stream);
          log.warn({ err: error, eventId: row.event_id }, 'A fact could not be sent: its stream waits');
          if (Date.now() - began > FAILING_MS_MAX) return sent;
        }
      }
      if (rows.length < FACTS_AT_ONCE) return sent;
    }
  });
}

async function send(db: Queryable, store: EventStore, row: OutboxRow): Promise<void> {
  const event: NewEvent = { id: row.event_id, type: row.type, data: row.data, metadata: row.metadata };
  for (;;) {
    // An earlier round may have appended the fact without marking it as sent: read the stream first.
    let last: number | 'NO_STREAM' = 'NO_STREAM';
    let isAppended = false;
    try {
      for await (const stored of store.read(row.stream)) {
        last = stored.revision;
        isAppended ||= stored.id === row.event_id;
      }
      if (isAppended) break;
      await store.append(row.stream, [event], last);
      break;
    } catch (error) {
      // The stream was purged: drop its facts too.
      if (error instanceof Purged) break;
      if (!(error instanceof WrongRevision)) throw error;
    }
  }
  await db.query('UPDATE identity.outbox SET sent_at = now() WHERE id = $1', [row.id]);
}
