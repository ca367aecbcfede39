/** Events that are projected together, sorted out once for all projections. */
import type { Numbered } from './numbered-event.ts';
import type { Projection } from './projection.ts';

export class Batch {
  /** In order, without a gap. */
  readonly events: readonly Numbered[];
  readonly #concerned = new Map<string, readonly Numbered[]>();

  constructor(events: readonly Numbered[]) {
    this.events = events;
  }

  get last(): Numbered | undefined {
    return this.events.at(-1);
  }

  /** The events that a projection reads. */
  of({ categories }: Projection): readonly Numbered[] {
    if (categories === 'all') return this.events;
    const name = categories.join(' ');
    const known = this.#concerned.get(name);
    if (known) return known;
    const wanted: readonly string[] = categories;
    const concerned = this.events.filter(({ category }) => wanted.includes(category));
    this.#concerned.set(name, concerned);
    return concerned;
  }

  /** What of it comes after a seq. */
  after(seq: number): Batch {
    return (this.events[0]?.seq ?? 0) > seq ? this : new Batch(this.events.filter((event) => event.seq > seq));
  }
}
