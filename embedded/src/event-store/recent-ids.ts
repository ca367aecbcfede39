/** The ids of the latest events, so that a repeat is recognised without reading the log. */

/** At least so many are remembered, and at most twice as many. */
const REMEMBERED = 50_000;

interface Place {
  readonly stream: string;
  readonly revision: number;
}

export class RecentIds {
  #newer = new Map<string, Place>();
  #older = new Map<string, Place>();

  add(id: string, stream: string, revision: number): void {
    if (this.#newer.size >= REMEMBERED) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(id, { stream, revision });
  }

  /** The revision the event has in the stream. */
  revision(id: string, stream: string): number | undefined {
    const place = this.#newer.get(id) ?? this.#older.get(id);
    return place?.stream === stream ? place.revision : undefined;
  }
}
