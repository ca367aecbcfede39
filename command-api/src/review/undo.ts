/** Reads what a batch changed in each stream, and undoes it with the rules of the row's kind. */
import type {
  ApprovalKind,
  Category,
  DomainEvent,
  Done,
  DoneFact,
  Reviewer,
  RowOutcome,
  Tracked,
} from '@rdm/contracts';
import { jsonBytes, STREAMS_AT_ONCE, toChunks } from '../bulk/row-chunks.ts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import type { Execution } from '../runtime/execution.ts';
import type { StreamKind } from '../runtime/streams.ts';

/** A finished command: its user, and the streams that it may have appended to. */
export interface Batch {
  commandId: string;
  actorId: number | null;
  /** Stream → the highest revision that an append of the command expected there. */
  streams: ReadonlyMap<string, number>;
}

/** A change of one row. */
export interface ChangedRow<Value> extends Done<Value> {
  id: number;
}

/** Undoes what a batch did to the rows of one parent, in streams of one category; returns an outcome per row. */
export type Undo = (
  x: Execution,
  batch: Batch,
  parentId: number,
  streams: readonly string[],
  comment: string | undefined,
) => Promise<RowOutcome[]>;

export interface Undoer {
  kind: ApprovalKind;
  undo: Undo;
  /**
   * Returns the data sets of a parent, its source first; throws if it is deleted or hidden, or the user may not change
   * it.
   */
  governanceOf: (x: Execution, parentId: number) => Promise<{ by: Reviewer; governedBy: number[] }>;
}

/** By stream category; composed in routes.ts. */
export type Undoers = Partial<Record<Category, Undoer>>;

/** Reads the rows of a category from its events and states. */
interface RowReader<State, E extends DomainEvent, Value> {
  kind: StreamKind<State, E>;
  /** The fact of an event; undefined for events without undo. */
  factOf: (type: E['type']) => DoneFact | undefined;
  idsOf: (event: E) => readonly number[];
  rowOf: (state: State, id: number) => Tracked<Value> | undefined;
}

/** What a batch did to each row of a stream, read from the log. */
async function changesOf<State, E extends DomainEvent, Value>(
  x: Execution,
  { commandId, actorId, streams }: Batch,
  stream: string,
  { kind, factOf, idsOf, rowOf }: RowReader<State, E, Value>,
): Promise<ChangedRow<Value>[]> {
  const last = streams.get(stream) ?? -1;
  const changes = new Map<number, ChangedRow<Value>>();
  const writers = new Map<number, Set<number>>();
  let state = kind.initial();
  for await (const recorded of x.events(stream)) {
    const isOwn = recorded.metadata.$causationId === commandId;
    if (recorded.revision > last && !isOwn) break;
    const event = recorded as unknown as E & typeof recorded;
    const eventFact = factOf(event.type);
    const fact = isOwn ? eventFact : undefined;
    const ids = fact ? idsOf(event) : [];
    if (eventFact === 'approved') {
      for (const id of idsOf(event)) {
        const approved = writers.get(id) ?? new Set();
        for (const author of rowOf(state, id)?.authors ?? []) approved.add(author);
        writers.set(id, approved);
      }
    }
    // Folds create new row objects, even where they change the containing state in place.
    const previousRows = ids.map((id) => (changes.has(id) ? changes.get(id)?.before : rowOf(state, id)));
    state = kind.evolve(state, event);
    ids.forEach((id, index) => {
      const after = rowOf(state, id);
      const before = previousRows[index];
      const { revision } = after ?? {};
      if (fact && revision !== undefined) {
        // The command may have written and submitted a row: undoing the write undoes both.
        const first = changes.get(id)?.fact ?? fact;
        changes.set(id, { id, fact: first, before, revision, by: actorId, writers: [...(writers.get(id) ?? [])] });
      }
    });
  }
  return [...changes.values()];
}

/** Undoes a batch in the bucket streams of one parent, in chunks that fit one append. */
export async function undoBuckets<State, E extends DomainEvent, Value>(
  x: Execution,
  batch: Batch,
  streams: readonly string[],
  reader: RowReader<State, E, Value>,
  decide: (stream: string, rows: readonly ChangedRow<Value>[]) => Promise<RowOutcome[]>,
): Promise<RowOutcome[]> {
  const outcomes: RowOutcome[] = [];
  await forEachConcurrently(streams, STREAMS_AT_ONCE, async (stream) => {
    const changes = await changesOf(x, batch, stream, reader);
    for (const rows of toChunks(changes, () => 0, jsonBytes).get(0) ?? []) {
      outcomes.push(...(await x.withPace(rows.length, () => x.piece(stream, () => decide(stream, rows)))));
    }
  });
  return outcomes;
}

/** Undoes a batch in the stream of a definition. */
export async function undoDefinition<State, E extends DomainEvent, Value>(
  x: Execution,
  batch: Batch,
  stream: string,
  reader: RowReader<State, E, Value>,
  decide: (change: ChangedRow<Value>) => Promise<RowOutcome[]>,
): Promise<RowOutcome[]> {
  const [change] = await changesOf(x, batch, stream, reader);
  return change ? x.piece(stream, () => decide(change)) : [];
}
