/** Undoes the changes of a batch in each stream. The rules depend on the kind of the rows. */
import {
  type ApprovalKind,
  type Category,
  DEFINITION_LEVEL,
  type DomainEvent,
  type Done,
  type DoneFact,
  type ProductEvent,
  type Reviewer,
  type RowOutcome,
  type Tracked,
  touchedRowIds,
  undoRefusal,
} from '@rdm/contracts';
import { jsonBytes, STREAMS_AT_ONCE, toChunks } from '../bulk/row-chunks.ts';
import { changeWithEnds, type DefinitionKind } from '../invariants/definition-ends.ts';
import { forEachConcurrently } from '../runtime/concurrency.ts';
import type { Execution } from '../runtime/execution.ts';
import type { StreamKind } from '../runtime/fold.ts';

/** A finished command: its user, and the streams that it may have appended to. */
export interface Batch {
  commandId: string;
  actorId: number | null;
  /** By stream, the highest revision that an append of the command expected. */
  streams: ReadonlyMap<string, number>;
}

/** A change of one row. */
export interface ChangedRow<Value> extends Done<Value> {
  id: number;
}

/** Data that the events of an undo contain. */
export interface UndoDetails {
  undoes: string;
  comment: string | undefined;
}

/** Undoes the changes of a batch to the rows of one parent. Returns an outcome per row. */
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
   * Returns the reviewer, and the data sets of the definition, source first. Throws if the user may not see or change
   * the definition, or if the undo concerns the rows of a deleted definition.
   */
  governanceOf: (x: Execution, parentId: number) => Promise<{ by: Reviewer; governedBy: number[] }>;
}

/** By stream category. */
export type Undoers = Partial<Record<Category, Undoer>>;

/** Reads the rows of a category from its events and states. */
interface RowReader<State, E extends DomainEvent, Value> {
  kind: StreamKind<State, E>;
  /** The fact of an event; undefined for events without undo. */
  factOf: (type: E['type']) => DoneFact | undefined;
  idsOf: (event: E) => readonly number[];
  rowOf: (state: State, id: number) => Tracked<Value> | undefined;
}

/** The changes of a batch to each row of a stream, read from the log. */
async function changesOf<State, E extends DomainEvent, Value>(
  x: Execution,
  { commandId, actorId, streams }: Batch,
  stream: string,
  { kind, factOf, idsOf, rowOf }: RowReader<State, E, Value>,
): Promise<ChangedRow<Value>[]> {
  const last = streams.get(stream) ?? -1;
  const changes = new Map<number, ChangedRow<Value>>();
  // An approval removes the authors of a row: collect the authors before the fold.
  const approvedAuthors = new Map<number, Set<number>>();
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
        const authors = approvedAuthors.get(id) ?? new Set();
        for (const author of rowOf(state, id)?.authors ?? []) authors.add(author);
        approvedAuthors.set(id, authors);
      }
    }
    // Folds never mutate row objects, so these objects still have the earlier values.
    const previousRows = ids.map((id) => (changes.has(id) ? changes.get(id)?.before : rowOf(state, id)));
    state = kind.evolve(state, event);
    ids.forEach((id, index) => {
      const after = rowOf(state, id);
      const before = previousRows[index];
      const { revision } = after ?? {};
      if (fact && revision !== undefined) {
        // If the command wrote and submitted a row, the undo of the write also undoes the submission.
        const first = changes.get(id)?.fact ?? fact;
        changes.set(id, {
          id,
          fact: first,
          before,
          revision,
          by: actorId,
          approvedAuthors: [...(approvedAuthors.get(id) ?? [])],
        });
      }
    });
  }
  return [...changes.values()];
}

interface RowUndo<Access, State, E extends DomainEvent, Value> {
  /** Loads the parent of the rows. Throws if the user may not change the parent. */
  requireParent: (x: Execution, parentId: number) => Promise<Access>;
  kind: StreamKind<State, E>;
  factOf: (type: E['type']) => DoneFact | undefined;
  undo: (
    x: Execution,
    parent: Access,
    stream: string,
    rows: readonly ChangedRow<Value>[],
    details: UndoDetails,
  ) => Promise<RowOutcome[]>;
}

/** Returns a function that undoes a batch in the bucket streams of one parent, in chunks that fit one append. */
export const rowUndo =
  <
    Access,
    Value,
    State extends { rows: ReadonlyMap<number, Tracked<Value>> },
    E extends DomainEvent & Parameters<typeof touchedRowIds>[0],
  >({
    requireParent,
    kind,
    factOf,
    undo,
  }: RowUndo<Access, State, E, Value>): Undo =>
  async (x, batch, parentId, ofStreams, comment) => {
    const parent = await requireParent(x, parentId);
    const details = { undoes: batch.commandId, comment };
    const reader = { kind, factOf, idsOf: touchedRowIds, rowOf: ({ rows }: State, id: number) => rows.get(id) };
    const outcomes: RowOutcome[] = [];
    await forEachConcurrently(ofStreams, STREAMS_AT_ONCE, async (stream) => {
      const changes = await changesOf(x, batch, stream, reader);
      for (const rows of toChunks(changes, () => 0, jsonBytes).get(0) ?? []) {
        const undoRows = async () => {
          // A job takes long: check the permissions again for each piece.
          const current = x.jobId === undefined ? parent : await requireParent(x, parentId);
          return undo(x, current, stream, rows, details);
        };
        outcomes.push(...(await x.withPace(rows.length, () => x.piece(stream, undoRows))));
      }
    });
    return outcomes;
  };

interface DefinitionUndo<State extends Tracked<Value> & { id: number }, E extends ProductEvent, Value> {
  of: DefinitionKind<State, E>;
  factOf: (type: E['type']) => DoneFact | undefined;
  /** The definition before the undo. */
  definition: State;
  by: Reviewer;
  undo: (change: ChangedRow<Value>, isUndoable: boolean) => Promise<RowOutcome[]>;
}

/**
 * Undoes a batch in the stream of a definition. Also registers a restored definition on its ends, or unregisters a
 * deleted definition.
 */
export async function undoDefinition<State extends Tracked<Value> & { id: number }, E extends ProductEvent, Value>(
  x: Execution,
  batch: Batch,
  { of, factOf, definition, by, undo }: DefinitionUndo<State, E, Value>,
): Promise<RowOutcome[]> {
  const stream = of.stream(definition.id);
  const reader = {
    kind: of.streamKind,
    factOf,
    idsOf: () => [definition.id],
    rowOf: (state: State | undefined) => state,
  };
  const [change] = await changesOf<State | undefined, E, Value>(x, batch, stream, reader);
  if (!change) return [];
  return x.piece(stream, () => {
    const isUndoable = undoRefusal(change, by, DEFINITION_LEVEL) === null;
    const decide = () => undo(change, isUndoable);
    return isUndoable ? changeWithEnds(x, of, definition, definition.deleted, decide) : decide();
  });
}
