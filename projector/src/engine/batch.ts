/** Events that are projected together, filtered once per set of categories. */
import type { NumberedEvent } from './numbered-event.ts';
import type { Projection } from './projection.ts';

export class Batch {
  /** In seq order, without a gap. */
  readonly events: readonly NumberedEvent[];
  readonly #byCategories = new Map<string, readonly NumberedEvent[]>();

  constructor(events: readonly NumberedEvent[]) {
    this.events = events;
  }

  get last(): NumberedEvent | undefined {
    return this.events.at(-1);
  }

  /** The events in the projection's categories. */
  eventsFor({ categories }: Projection): readonly NumberedEvent[] {
    if (categories === 'all') return this.events;
    const name = categories.join(' ');
    const known = this.#byCategories.get(name);
    if (known) return known;
    const included: readonly string[] = categories;
    const relevant = this.events.filter(({ category }) => included.includes(category));
    this.#byCategories.set(name, relevant);
    return relevant;
  }

  /** The events with a higher seq. */
  after(seq: number): Batch {
    return (this.events[0]?.seq ?? 0) > seq ? this : new Batch(this.events.filter((event) => event.seq > seq));
  }
}
