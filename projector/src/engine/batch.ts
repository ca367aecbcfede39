/** Events that are projected together, filtered once per set of categories. */
import type { NumberedEvent } from './numbered-event.ts';
import type { Projection } from './projection.ts';

export class Batch {
  /** In seq order, without a gap; with the entries that replace purged events. */
  readonly events: readonly NumberedEvent[];
  readonly #byCategories = new Map<string, readonly NumberedEvent[]>();

  constructor(events: readonly NumberedEvent[]) {
    this.events = events;
  }

  get last(): NumberedEvent | undefined {
    return this.events.at(-1);
  }

  /** The events that the log holds. */
  get stored(): readonly NumberedEvent[] {
    return this.#filtered('stored', ({ purged }) => purged === undefined);
  }

  /** The events in the projection's categories. */
  eventsFor({ categories, foldsPurged = false }: Projection): readonly NumberedEvent[] {
    if (categories === 'all') return foldsPurged ? this.events : this.stored;
    const included: readonly string[] = categories;
    return this.#filtered(categories.join(' '), ({ category }) => included.includes(category));
  }

  /** The events with a higher seq. */
  after(seq: number): Batch {
    return (this.events[0]?.seq ?? 0) > seq ? this : new Batch(this.events.filter((event) => event.seq > seq));
  }

  #filtered(name: string, isIncluded: (event: NumberedEvent) => boolean): readonly NumberedEvent[] {
    const known = this.#byCategories.get(name);
    if (known) return known;
    const relevant = this.events.filter(isIncluded);
    this.#byCategories.set(name, relevant);
    return relevant;
  }
}
