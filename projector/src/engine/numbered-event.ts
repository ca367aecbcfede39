/** A product event for projections: numbered by the reader, with the category and entity id of its stream. */
import { type DomainEvent, parseStream } from '@rdm/contracts';
import type { LoggedEvent } from '@rdm/platform';

type EventNumbering = Omit<LoggedEvent, 'type' | 'data'> & {
  /** Consecutive number of product events in log order. */
  seq: number;
  category: string;
  /** The entity id in the stream's name; NaN for streams such as `access-main`. */
  entityId: number;
};

/** Distributes over a union of events, so that `type` determines the type of `data`. */
export type NumberedEvent<E extends DomainEvent = DomainEvent> = E & EventNumbering;

export function numberEvent(event: LoggedEvent, seq: number): NumberedEvent {
  const { category, id } = parseStream(event.stream);
  return { ...event, seq, category, entityId: id };
}
