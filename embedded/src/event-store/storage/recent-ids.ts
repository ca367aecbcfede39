/** Ids of the latest events, to recognise a repeated append without reading the log. */

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

  /** Keeps the ids of the group, which is durable now. */
  publish(): void {
    this.#unfinished = [];
  }

  /** Removes the ids of a group that was not written. An earlier event with the same id is not recognised any more. */
  discard(): void {
    for (const id of this.#unfinished) if (!this.#newer.delete(id)) this.#older.delete(id);
    this.#unfinished = [];
  }

  /** Returns the revision of the event with this id in the stream, if it is a recent one. */
  revision(id: string, stream: string): number | undefined {
    const place = this.#newer.get(id) ?? this.#older.get(id);
    return place?.stream === stream ? place.revision : undefined;
  }
}
