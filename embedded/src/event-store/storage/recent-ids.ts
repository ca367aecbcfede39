/** Caches the ids of the latest events, to recognise a repeated append without reading the log. */

/** At least this many ids are kept, and at most twice as many. */
const GENERATION_SIZE = 50_000;

interface EventPlace {
  readonly stream: string;
  readonly revision: number;
}

export class RecentIds {
  #newer = new Map<string, EventPlace>();
  #older = new Map<string, EventPlace>();
  /** Ids of the events in the unfinished group. */
  #unfinished: string[] = [];

  add(id: string, stream: string, revision: number): void {
    if (this.#newer.size >= GENERATION_SIZE) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(id, { stream, revision });
    this.#unfinished.push(id);
  }

  /** Call this when the commit group is durable, so that `discard` does not remove its ids. */
  publish(): void {
    this.#unfinished = [];
  }

  /**
   * Removes the ids of a group that was not written. An earlier event with one of these ids may then not be recognised
   * either.
   */
  discard(): void {
    for (const id of this.#unfinished) if (!this.#newer.delete(id)) this.#older.delete(id);
    this.#unfinished = [];
  }

  /** Returns the revision of a recent event with this id in the stream. */
  revision(id: string, stream: string): number | undefined {
    const place = this.#newer.get(id) ?? this.#older.get(id);
    return place?.stream === stream ? place.revision : undefined;
  }
}
