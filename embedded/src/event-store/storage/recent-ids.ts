/** Ids of the latest events, so that a repeat is recognised without reading the log. */

/** At least this many ids are kept, and at most twice as many. */
const GENERATION_SIZE = 50_000;

interface EventPlace {
  readonly stream: string;
  readonly revision: number;
}

export class RecentIds {
  #newer = new Map<string, EventPlace>();
  #older = new Map<string, EventPlace>();
  /** Ids of the unfinished group. */
  #unfinished: string[] = [];

  add(id: string, stream: string, revision: number): void {
    if (this.#newer.size >= GENERATION_SIZE) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(id, { stream, revision });
    this.#unfinished.push(id);
  }

  /** Keeps the ids of a durable group. */
  publish(): void {
    this.#unfinished = [];
  }

  /** Removes the ids of a group that was not written; if an earlier event has the same id, only the log still has it. */
  discard(): void {
    for (const id of this.#unfinished) if (!this.#newer.delete(id)) this.#older.delete(id);
    this.#unfinished = [];
  }

  /** The revision of the event in the stream. */
  revision(id: string, stream: string): number | undefined {
    const place = this.#newer.get(id) ?? this.#older.get(id);
    return place?.stream === stream ? place.revision : undefined;
  }
}
