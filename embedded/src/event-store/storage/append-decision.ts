/**
 * Decides whether to write an append, by its expected revision and the stream's head, and recognises repeated appends.
 */

export type ExpectedRevision = 'any' | 'no_stream' | 'stream_exists' | bigint;

export type Decision =
  | { readonly kind: 'write' }
  /** The same events were appended before; `revision` is the revision of the last one. */
  | { readonly kind: 'repeat'; readonly revision: number }
  /** `head` is -1 for a stream without events. */
  | { readonly kind: 'wrong-version'; readonly head: number }
  | { readonly kind: 'deleted' };

/** The state of a stream, including events of the unfinished commit group. */
export interface StreamState {
  /** The last revision; -1 for a stream without events. */
  readonly head: number;
  readonly isSoftDeleted: boolean;
  readonly hasMetadata: boolean;
  readonly isTombstoned: boolean;
  /** Whether the stream has an event with this id at this revision. False if a scavenge has dropped the event. */
  hasEvent(revision: number, id: string): boolean;
  /** Returns the revision of the event with this id if it was recently written to this stream. */
  recentRevision(id: string): number | undefined;
}

/**
 * Decides like EventStoreDB:
 * - A tombstoned stream accepts no appends, and a soft-deleted stream accepts none with "stream exists".
 * - With the head as the expected revision, an append is new, whatever its ids are.
 * - With a lower expected revision, an append is a repeat if the next stored events have its ids in the same order.
 * - With "any", an append is new if its first id is not recent, and a repeat if all its ids are recent.
 * - "Stream exists" is like "any", but requires that the stream has events or metadata.
 * - "No stream" recreates a soft-deleted stream, unless the first event of the stream has the first id.
 * - Other appends have the wrong version.
 */
export function decide(state: StreamState, expected: ExpectedRevision, ids: readonly string[]): Decision {
  const { head } = state;
  const wrongVersion: Decision = { kind: 'wrong-version', head };
  if (state.isTombstoned) return { kind: 'deleted' };
  if (expected === 'stream_exists') {
    if (state.isSoftDeleted) return { kind: 'deleted' };
    if (head < 0 && !state.hasMetadata) return wrongVersion;
  }
  if (expected === 'any' || expected === 'stream_exists') {
    const revisions = ids.map((id) => state.recentRevision(id));
    const last = revisions.at(-1);
    if (revisions[0] === undefined) return { kind: 'write' };
    return last === undefined || revisions.includes(undefined) ? wrongVersion : { kind: 'repeat', revision: last };
  }
  const revision = expected === 'no_stream' ? -1 : Number(expected);
  if (revision > head) return wrongVersion;
  if (revision === head) return { kind: 'write' };
  const last = revision + ids.length;
  if (ids.length > 0 && last <= head && ids.every((id, at) => state.hasEvent(revision + 1 + at, id))) {
    return { kind: 'repeat', revision: last };
  }
  const [first] = ids;
  const isNew = first !== undefined && !state.hasEvent(revision + 1, first);
  return isNew && expected === 'no_stream' && state.isSoftDeleted ? { kind: 'write' } : wrongVersion;
}
