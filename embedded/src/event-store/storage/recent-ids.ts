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
  /** Ids of the unfinished group. */
  #unfinished: string[] = [];

  add(id: string, stream: string, revision: number): void {
    if (this.#newer.size >= REMEMBERED) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(id, { stream, revision });
    this.#unfinished.push(id);
  }

  /** Keeps the ids of a group that is durable. */
  publish(): void {
    this.#unfinished = [];
  }

  /** Forgets the ids of a group that was not written; an id that an earlier event has too is then known by the log alone. */
  discard(): void {
    for (const id of this.#unfinished) if (!this.#newer.delete(id)) this.#older.delete(id);
    this.#unfinished = [];
  }

  /** The revision the event has in the stream. */
  revision(id: string, stream: string): number | undefined {
    const place = this.#newer.get(id) ?? this.#older.get(id);
    return place?.stream === stream ? place.revision : undefined;
  }
}
