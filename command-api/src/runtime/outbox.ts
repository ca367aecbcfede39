/**
 * The transactional outbox. A change of the vault writes its facts in the same transaction; the relay appends them to
 * the log.
 */
import type { ProductEvent } from '@rdm/contracts';
import { newSalt, type Queryable } from '@rdm/platform';
import { v5 as uuidv5 } from 'uuid';
import type { CommandMeta } from './execution.ts';

/** A fact about a change of the vault, as an event for the log. The relay appends the facts of a stream in order. */
export interface OutboxFact {
  eventId: string;
  stream: string;
  type: string;
  data: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

export async function putInOutbox(db: Queryable, fact: OutboxFact): Promise<void> {
  await db.query('INSERT INTO identity.outbox (event_id, stream, type, data, metadata) VALUES ($1, $2, $3, $4, $5)', [
    fact.eventId,
    fact.stream,
    fact.type,
    JSON.stringify(fact.data),
    JSON.stringify(fact.metadata),
  ]);
}

/** Creates a fact, with the same id in each run of the command. */
export function outboxFact(meta: CommandMeta, stream: string, event: ProductEvent, at: Date): OutboxFact {
  const { commandId, actorId, requestId, correlationId, sourceType, salt = newSalt() } = meta;
  return {
    eventId: uuidv5(`${stream}:${event.type}`, commandId),
    stream,
    type: event.type,
    data: event.data,
    metadata: {
      $correlationId: correlationId,
      $causationId: commandId,
      actorId,
      requestId,
      sourceType,
      dataSetIds: [],
      occurredAt: at.toISOString(),
      salt,
    },
  };
}

/** Whether an earlier run of the command has put the fact into the outbox. */
export async function isInOutbox(db: Queryable, { eventId }: Pick<OutboxFact, 'eventId'>): Promise<boolean> {
  const { rowCount } = await db.query('SELECT FROM identity.outbox WHERE event_id = $1', [eventId]);
  return rowCount !== 0;
}
