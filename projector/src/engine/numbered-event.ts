/** A product event as projections see it: numbered by the reader, typed by its room. */
import { type DomainEvent, parseStream } from '@rdm/contracts';
import type { LoggedEvent } from '@rdm/platform';

type EventNumbering = Omit<LoggedEvent, 'type' | 'data'> & {
  /** Dense number over product events in the order of the log. */
  seq: number;
  category: string;
  /** The entity that the stream's name says; NaN for `access-main` and the like. */
  entityId: number;
};

/** Distributes over a union of events, so that `type` tells what `data` is. */
export type NumberedEvent<E extends DomainEvent = DomainEvent> = E & EventNumbering;

export function numberEvent(event: LoggedEvent, seq: number): NumberedEvent {
  const { category, id } = parseStream(event.stream);
  return { ...event, seq, category, entityId: id };
}
