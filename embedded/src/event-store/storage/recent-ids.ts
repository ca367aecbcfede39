/** Caches the ids of the latest events, to recognise a repeated append without reading the log. */

/** The cache holds the latest ids: at least this many, at most twice as many. */
const GENERATION_SIZE = 50_000;

interface EventPlace {
  readonly stream: string;
  readonly revision: number;
}

export class RecentIds {
  #newer = new Map<string, EventPlace>();
  #older = new Map<string, EventPlace>();
  /** Ids of the events in the commit group that is not yet durable. */
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
   * Removes the ids of a commit group that was not written. If an earlier event has one of these ids, the cache can
   * lose that event too.
   */
  discard(): void {
    for (const id of this.#unfinished) if (!this.#newer.delete(id)) this.#older.delete(id);
    this.#unfinished = [];
  }

  /** Returns the revision of a recent event with this id in the stream; undefined if the cache has none. */
  revision(id: string, stream: string): number | undefined {
    const place = this.#newer.get(id) ?? this.#older.get(id);
    return place?.stream === stream ? place.revision : undefined;
  }
}
