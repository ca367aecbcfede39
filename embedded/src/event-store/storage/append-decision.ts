/** Whether an append may happen: the expected revision against the stream's head, and repeats of what was done before. */
import type { StreamEntry } from './event-index.ts';

export type ExpectedRevision = 'any' | 'no_stream' | 'stream_exists' | bigint;

export type Decision =
  | { readonly kind: 'write' }
  /** Done before; the last event of it has this revision. */
  | { readonly kind: 'repeat'; readonly revision: number }
  /** `head` is -1 for a stream without events. */
  | { readonly kind: 'wrong-version'; readonly head: number }
  | { readonly kind: 'deleted' };

/** What is to be known of a stream, events of the unfinished commit group included. */
export interface StreamState {
  readonly entry: StreamEntry | undefined;
  readonly softDeleted: boolean;
  readonly hasMetadata: boolean;
  readonly tombstoned: boolean;
  /** Whether the event at a revision has this id. */
  holds(revision: number, id: string): boolean;
  /** The revision a recently written event has in this stream. */
  recent(id: string): number | undefined;
}

/**
 * The real server's rule. Equal to the head: a new write, whatever the ids. Behind the head: a repeat when the same ids
 * lie there in the same order, else a wrong version. With "any" and "stream exists" only recent ids make a repeat.
 */
export function decide(state: StreamState, expected: ExpectedRevision, ids: readonly string[]): Decision {
  const head = (state.entry?.ordinals.length ?? 0) - 1;
  const wrongVersion: Decision = { kind: 'wrong-version', head };
  if (state.tombstoned) return { kind: 'deleted' };
  if (expected === 'stream_exists') {
    if (state.softDeleted) return { kind: 'deleted' };
    if (head < 0 && !state.hasMetadata) return wrongVersion;
  }
  if (expected === 'any' || expected === 'stream_exists') {
    const seen = ids.map((id) => state.recent(id));
    const last = seen.at(-1);
    if (seen[0] === undefined) return { kind: 'write' };
    return last === undefined || seen.includes(undefined) ? wrongVersion : { kind: 'repeat', revision: last };
  }
  const revision = expected === 'no_stream' ? -1 : Number(expected);
  if (revision > head) return wrongVersion;
  if (revision === head) return { kind: 'write' };
  const last = revision + ids.length;
  if (ids.length > 0 && last <= head && ids.every((id, at) => state.holds(revision + 1 + at, id))) {
    return { kind: 'repeat', revision: last };
  }
  // A softly deleted stream may begin anew, unless this looks like half of what it began with the first time.
  const [first] = ids;
  const isNew = first !== undefined && !state.holds(revision + 1, first);
  return isNew && expected === 'no_stream' && state.softDeleted ? { kind: 'write' } : wrongVersion;
}
