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
  /** Of the unfinished group. */
  #unfinished = new Map<string, Place>();

  add(id: string, stream: string, revision: number): void {
    this.#unfinished.set(id, { stream, revision });
  }

  /** Keeps the ids of a group that is durable. */
  publish(): void {
    for (const [id, place] of this.#unfinished) {
      if (this.#newer.size >= REMEMBERED) {
        this.#older = this.#newer;
        this.#newer = new Map();
      }
      this.#newer.set(id, place);
    }
    this.#unfinished.clear();
  }

  /** Forgets the ids of a group that was not written. */
  discard(): void {
    this.#unfinished.clear();
  }

  /** The revision the event has in the stream. */
  revision(id: string, stream: string): number | undefined {
    const place = this.#unfinished.get(id) ?? this.#newer.get(id) ?? this.#older.get(id);
    return place?.stream === stream ? place.revision : undefined;
  }
}
