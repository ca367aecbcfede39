/**
 * Replays a stream or an entity event by event, with the state after each event. Commands compute the state with the
 * same folds.
 */
import {
  ACCESS_STREAM,
  type AccessEvent,
  bucketOfRow,
  type Fold as EventFold,
  emptyAccess,
  evolveAccess,
  folds,
  parseStream,
  type RecordedEvent,
  Refusal,
  streams,
} from '@rdm/contracts';

/** The subject of a replay: a stream, optionally reduced to one entity or row. */
export interface Subject {
  stream: string;
  /** The row of a stream with many rows, or the entity of `access-main`. */
  entity: SubjectEntity | undefined;
}

type AccessKind = 'collection' | 'role' | 'group' | 'user';
type SubjectEntity = { kind: 'row'; id: number } | { kind: AccessKind; id: number };

const ROW_KINDS: ReadonlySet<string> = new Set(['mapping', 'instance', 'relationship-value']);

/** Parses an entity given by kind and id: `crosswalk:3`, `mapping:3:1089`, `instance:5:64`, `collection:7`, … */
export function subjectOfEntity(entity: string): Subject {
  const [kind = '', ...parts] = entity.split(':');
  const ids = parts.map(Number);
  const [id, rowId] = ids;
  const count = ROW_KINDS.has(kind) ? 2 : 1;
  if (id === undefined || ids.length !== count || !ids.every((each) => Number.isSafeInteger(each) && each > 0)) {
    throw new Refusal('INVALID', 'entity must be a kind and its ids, such as crosswalk:3 or mapping:3:1089');
  }
  const row = rowId ?? 0;
  const wholeStream = (stream: string): Subject => ({ stream, entity: undefined });
  switch (kind) {
    case 'reference-type':
      return wholeStream(streams.referenceType(id));
    case 'data-set':
      return wholeStream(streams.dataSet(id));
    case 'relationship':
      return wholeStream(streams.relationship(id));
    case 'crosswalk':
      return wholeStream(streams.crosswalk(id));
    case 'missing-mappings':
      return wholeStream(streams.missingMappings(id));
    case 'job':
      return wholeStream(streams.importJob(id));
    case 'bulk-decision':
      return wholeStream(streams.bulkDecision(id));
    case 'api-key':
      return wholeStream(streams.apiKey(id));
    case 'instance':
      return { stream: streams.instances(id, bucketOfRow(row)), entity: { kind: 'row', id: row } };
    case 'relationship-value':
      return { stream: streams.relationshipValues(id, bucketOfRow(row)), entity: { kind: 'row', id: row } };
    case 'mapping':
      return { stream: streams.mappings(id, bucketOfRow(row)), entity: { kind: 'row', id: row } };
    case 'collection':
    case 'role':
    case 'group':
    case 'user':
      return { stream: ACCESS_STREAM, entity: { kind, id } };
    default:
      throw new Refusal('INVALID', `There is no kind of entity called “${kind}” to replay`);
  }
}

/** A step of a replay, without its seq: the event store has no seqs. */
export interface Step {
  event: RecordedEvent;
  /** The part of the event's data that belongs to the subject. */
  data: unknown;
  /**
   * Returns the state after the event; null if there is none, or if this or an earlier event cannot be decoded. Call it
   * before the next step is requested.
   */
  state: () => unknown;
}

interface Fold {
  /** Returns the part of an event's data that belongs to the subject; undefined if no part does. */
  select: (event: RecordedEvent) => unknown;
  /**
   * Applies any event of the stream. Returns a function that returns the state after the event. If the whole stream is
   * replayed, this is the state of the entity or the rows that the event changed.
   */
  apply: (event: RecordedEvent) => () => unknown;
}

/** Converts a state to JSON: maps to objects, sets to lists. */
export function toJson(value: unknown): unknown {
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, each]) => [String(key), toJson(each)]));
  }
  if (value instanceof Set) return [...value].map(toJson);
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, toJson(each)]));
  }
  return value;
}

// The event types are not checked here, because every event of a stream belongs to the stream's category.
type WholeFold = EventFold<unknown, RecordedEvent>;
type RowsFold = EventFold<{ rows: ReadonlyMap<number, unknown> }, RecordedEvent>;

/** Folds a stream with one entity. */
function foldEntity({ initial, evolve }: WholeFold): Fold {
  let state = initial();
  return {
    select: ({ data }) => data,
    apply: (event) => {
      state = evolve(state, event);
      return () => toJson(state);
    },
  };
}

interface Rows {
  ids?: unknown;
  rows?: unknown;
}

/** Returns the id of an entry of an event's `rows`: `[id, …cells]` or `{ id }`. */
const idOf = (row: unknown): number => (Array.isArray(row) ? row[0] : (row as { id: number }).id) as number;

/** Returns the ids of the rows that an event changes, in the order of the event. */
function touchedRowIds(data: Rows): number[] {
  if (Array.isArray(data.ids)) return data.ids as number[];
  return Array.isArray(data.rows) ? data.rows.map(idOf) : [];
}

/** Returns the data of an event reduced to one row. */
function dataOfRow(data: Rows, id: number): unknown {
  return {
    ...data,
    ...(Array.isArray(data.ids) ? { ids: [id] } : {}),
    ...(Array.isArray(data.rows) ? { rows: data.rows.filter((row) => idOf(row) === id) } : {}),
  };
}

/** Folds a stream with many rows. */
function foldRows({ initial, evolve }: RowsFold, entity: SubjectEntity | undefined): Fold {
  let bucket = initial();
  return {
    select: ({ data }) => {
      if (entity === undefined) return data;
      return touchedRowIds(data as Rows).includes(entity.id) ? dataOfRow(data as Rows, entity.id) : undefined;
    },
    apply: (event) => {
      const rowIds = touchedRowIds(event.data as Rows);
      bucket = evolve(bucket, event);
      const { rows } = bucket;
      if (entity === undefined) return () => toJson(new Map(rowIds.map((id) => [id, rows.get(id)])));
      return () => toJson(rows.get(entity.id) ?? null);
    },
  };
}

/** Returns the entity of an `access-main` event; undefined for an event without an entity. */
function accessSubject(data: object): { kind: AccessKind; id: number } | undefined {
  for (const kind of ['collection', 'group', 'user', 'role'] as const) {
    const id = (data as Record<string, unknown>)[`${kind}Id`];
    if (typeof id === 'number') return { kind, id };
  }
  return undefined;
}

/** Folds `access-main`. The state after an event is the state of the event's entity. */
function foldAccess(entity: SubjectEntity | undefined): Fold {
  const state = emptyAccess();
  const all = { collection: state.collections, role: state.roles, group: state.groups, user: state.users };
  return {
    select: ({ data }) => {
      const subject = accessSubject(data as object);
      const isOther = entity && (subject?.kind !== entity.kind || subject.id !== entity.id);
      return subject === undefined || isOther ? undefined : data;
    },
    apply: (event) => {
      evolveAccess(state, event as unknown as AccessEvent);
      const subject = accessSubject(event.data as object);
      return () => toJson((subject && all[subject.kind].get(subject.id)) ?? null);
    },
  };
}

/** Creates the fold for a subject; throws if the category of its stream does not exist. */
function createFold({ stream, entity }: Subject): Fold {
  const { category } = parseStream(stream);
  switch (category) {
    case 'user':
      // This category has no fold, because the data of users are in the vault.
      return foldEntity({ initial: () => null, evolve: () => null });
    case 'access':
      return foldAccess(entity);
    case 'instances':
    case 'relationshipValues':
    case 'mappings':
      return foldRows(folds[category] as unknown as RowsFold, entity);
    default:
      if (category in folds) return foldEntity(folds[category as keyof typeof folds] as WholeFold);
      throw new Refusal('NOT_FOUND', `There is no stream ${stream}`);
  }
}

/** Yields the steps of a subject, oldest first. */
export async function* replay(
  subject: Subject,
  read: (stream: string) => AsyncIterable<RecordedEvent>,
): AsyncGenerator<Step> {
  const fold = createFold(subject);
  let isKnown = true;
  for await (const event of read(subject.stream)) {
    const isUndecodable = event.undecodable !== undefined;
    // After an event that cannot be decoded, the state is unknown for this and all later events.
    isKnown &&= !isUndecodable;
    const state = isKnown ? fold.apply(event) : () => null;
    // An event that cannot be decoded may belong to any subject of the stream.
    const data = isUndecodable ? event.data : fold.select(event);
    if (data !== undefined) yield { event, data, state };
  }
}
