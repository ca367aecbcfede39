/** The folded state of a stream, with its revision and how much of it is loaded. */

export interface LoadedStream<State> {
  state: State;
  /** The revision of the last folded event; -1 for an empty stream. */
  revision: number;
  /**
   * The id of the last folded event, to detect that the log was replaced by another copy. Undefined until an event is
   * folded: for an empty stream, and for a state as the row cache returned it.
   */
  lastId?: string;
  /**
   * The time of the last event; empty for an empty stream. If the clock is slow, a new event gets this time, not an
   * earlier one.
   */
  lastAt: string;
  /** The revision of the rows in the row cache, if this state may update them. */
  cachedRevision?: number | undefined;
  /**
   * Whether the state was read from the row cache. It then has only the rows that a command touches (`RowLookup`), the
   * rows that share a key with them, and the rows that later events changed.
   */
  isPartial?: boolean;
}
