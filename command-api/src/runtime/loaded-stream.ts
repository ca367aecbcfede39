/** The folded state of a stream, with its revision and how much of it is loaded. */

export interface LoadedStream<State> {
  state: State;
  /** The revision of the last folded event; -1 for an empty stream. */
  revision: number;
  /**
   * The id of the last folded event, to detect that the log was replaced by another copy. Undefined until an event is
   * folded: a state from the row cache begins without the id.
   */
  lastId?: string;
  /** The time of the last event, or '' for an empty stream. A new event never gets an earlier time. */
  lastAt: string;
  /** The revision of the stream in the row cache, if this state can update the row cache. */
  cachedRevision?: number | undefined;
  /**
   * Whether the state was read from the row cache, without most rows of the stream. The state has the rows of a
   * `RowLookup`, the rows with the same keys, and the rows that later events changed.
   */
  isPartial?: boolean;
}
