/** The relay: appends what the vault put in its outbox to the log, in order, each once. */
import type { EventMetadata } from '@rdm/contracts';
import {
  ADVISORY_LOCKS,
  type EventStore,
  type NewEvent,
  type Pool,
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

/** Sends what waits; one relay at a time does, whoever holds the lock. Returns how many were sent. */
export async function relayOutbox(pool: Pool, store: EventStore): Promise<number> {
  return transaction(pool, async (client) => {
    const { rows: lock } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [
      ADVISORY_LOCKS.outboxRelay,
    ]);
    if (!lock[0]?.mine) return 0;
    const { rows } = await client.query<OutboxRow>(
      'SELECT * FROM identity.outbox WHERE sent_at IS NULL ORDER BY id LIMIT 100',
    );
    for (const row of rows) await send(client, store, row);
    return rows.length;
  });
}

async function send(db: Queryable, store: EventStore, row: OutboxRow): Promise<void> {
  const event: NewEvent = { id: row.event_id, type: row.type, data: row.data, metadata: row.metadata };
  for (;;) {
    // An earlier relay may have appended it and died before saying so: look before appending.
    let last: number | 'NO_STREAM' = 'NO_STREAM';
    let sent = false;
    for await (const stored of store.read(row.stream)) {
      last = stored.revision;
      sent ||= stored.id === row.event_id;
    }
    if (sent) break;
    try {
      await store.append(row.stream, [event], last);
      break;
    } catch (error) {
      if (!(error instanceof WrongRevision)) throw error;
    }
  }
  await db.query('UPDATE identity.outbox SET sent_at = now() WHERE id = $1', [row.id]);
}
