/** The folded state of a stream, with its revision and how much of it is loaded. */

export interface LoadedStream<State> {
  state: State;
  /** Revision of the last folded event; -1 for an empty stream. */
  revision: number;
  /** Id of the last folded event, to detect another copy of the log; undefined for cached rows. */
  lastId?: string;
  /** Time of the last event, so that a slow clock never dates an event before it. */
  lastAt: string;
  /** The revision of the cached rows, where this state may update them. */
  cachedRevision?: number | undefined;
  /** Whether the state holds only the rows of the lookup, read from the row cache. */
  isPartial?: boolean;
}
