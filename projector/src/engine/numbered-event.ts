/** A product event for projections: numbered by the reader, with the category and entity id of its stream. */
import { type DomainEvent, parseStream } from '@rdm/contracts';
import type { LoggedEvent, NumberedLogEvent } from '@rdm/platform';

type EventNumbering = Omit<LoggedEvent, 'type' | 'data'> & {
  /** Consecutive number of product events in log order. */
  seq: number;
  category: string;
  /** The entity id in the stream's name; NaN for streams such as `access-main`. */
  entityId: number;
  /** Set on the entry of a purged event. Only the type, actor and instant of the event are known. */
  purged?: { purgeId: number; digest: string };
};

/** Distributes over a union of events, so that `type` determines the type of `data`. */
export type NumberedEvent<E extends DomainEvent = DomainEvent> = E & EventNumbering;

export function numberEvent(event: LoggedEvent, seq: number): NumberedEvent {
  const { category, id } = parseStream(event.stream);
  // The spread is last, because V8 adds properties to a copied object slowly (docs/decisions/0115).
  return { seq, category, entityId: id, ...event };
}

/** The category of the entry of a purged event: no stream has this category. */
const NO_CATEGORY = '';

/** Converts a numbered event of the log, or the entry of a purged event. */
export function toNumberedEvent(numbered: NumberedLogEvent): NumberedEvent {
  if ('event' in numbered) return numberEvent(numbered.event, numbered.seq);
  const { type, actorId, at, purgeId, digest } = numbered.purged;
  return {
    ...{ id: '', stream: '', revision: -1, type, data: {} },
    metadata: {
      ...{
        $correlationId: '',
        $causationId: '',
        requestId: '',
        sourceType: 'SYSTEM',
        schemaVersion: 1,
        dataSetIds: [],
      },
      ...{ actorId, occurredAt: at },
    },
    position: numbered.position.commit,
    prepare: numbered.position.prepare,
    ...{ seq: numbered.seq, category: NO_CATEGORY, entityId: Number.NaN },
    purged: { purgeId, digest },
  };
}
