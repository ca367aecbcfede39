/** How the events of a stream are folded into a state. */
import type { DomainEvent, EventMetadata, RecordedEvent } from '@rdm/contracts';
import { requireDecodable } from '@rdm/platform';
import type { LoadedStream } from './loaded-stream.ts';
import type { RowCodec } from './row-cache.ts';

/** How the streams of one category are folded. `evolve` may change the state in place; deciders never change it. */
export interface StreamKind<State, E extends DomainEvent> {
  initial: () => State;
  evolve: (state: State, event: E & { metadata: EventMetadata }) => State;
  /** The approximate size of the state in memory, in bytes. */
  estimateBytes: (state: State) => number;
  /** For kinds whose rows are cached (row-cache.ts). */
  rowsOf?: RowCodec<State, E>;
}

export const emptyStream = <State, E extends DomainEvent>(kind: StreamKind<State, E>): LoadedStream<State> => ({
  state: kind.initial(),
  revision: -1,
  lastAt: '',
});

/** The ids of the rows that the events change. */
export const idsOf = <State, E extends DomainEvent>(
  rowsOf: RowCodec<State, E>,
  events: readonly Pick<RecordedEvent, 'type' | 'data'>[],
): number[] => events.flatMap((event) => [...rowsOf.idsOf(event as unknown as E)]);

/** Folds an event into a loaded state if it is the next event of the stream. */
export function foldInto<State, E extends DomainEvent>(
  kind: StreamKind<State, E>,
  loaded: LoadedStream<State>,
  event: RecordedEvent,
): void {
  if (event.revision !== loaded.revision + 1) return;
  requireDecodable(event);
  loaded.state = kind.evolve(loaded.state, event as unknown as E & { metadata: EventMetadata });
  loaded.revision = event.revision;
  loaded.lastId = event.id;
  loaded.lastAt = event.metadata.occurredAt;
}
