/** A batch: events that are projected together. Projections with the same categories share one filtered list. */
import type { NumberedEvent } from './numbered-event.ts';
import type { Projection } from './projection.ts';

export class Batch {
  /** The events by seq. There are no gaps, because entries replace purged events. */
  readonly events: readonly NumberedEvent[];
  readonly #filteredEvents = new Map<string, readonly NumberedEvent[]>();

  constructor(events: readonly NumberedEvent[]) {
    this.events = events;
  }

  get last(): NumberedEvent | undefined {
    return this.events.at(-1);
  }

  /** The events that the log still contains: all but the entries that replace purged events. */
  get stored(): readonly NumberedEvent[] {
    return this.#filtered('stored', ({ purged }) => purged === undefined);
  }

  /** Returns the events in the categories of a projection. `foldsPurged` adds the entries of purged events. */
  eventsFor({ categories, foldsPurged = false }: Projection): readonly NumberedEvent[] {
    if (categories === 'all') return foldsPurged ? this.events : this.stored;
    const included: readonly string[] = categories;
    return this.#filtered(categories.join(' '), ({ category }) => included.includes(category));
  }

  /** Returns a batch of the events with a higher seq. */
  after(seq: number): Batch {
    return (this.events[0]?.seq ?? 0) > seq ? this : new Batch(this.events.filter((event) => event.seq > seq));
  }

  #filtered(name: string, isIncluded: (event: NumberedEvent) => boolean): readonly NumberedEvent[] {
    const cached = this.#filteredEvents.get(name);
    if (cached) return cached;
    const relevant = this.events.filter(isIncluded);
    this.#filteredEvents.set(name, relevant);
    return relevant;
  }
}
