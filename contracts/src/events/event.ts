/** Defines events: typed past facts with metadata, whose schemas and versions are in one registry. */
import type { z } from 'zod';

export type SourceType = 'UI' | 'API' | 'IMPORT' | 'SYSTEM';

/** Metadata of every event (domain.md). Never personal data, never secrets. */
export interface EventMetadata {
  /** Groups the events of one request, or of a whole job. */
  $correlationId: string;
  /** The command that caused it; a stream that holds an event of a command has its effect. */
  $causationId: string;
  /** The user who acted; null when the system did. */
  actorId: number | null;
  /** The API key that acted on behalf of the user. */
  apiKeyId?: number;
  requestId: string;
  sourceType: SourceType;
  /** ISO instant, never before that of the stream's previous event. */
  occurredAt: string;
  schemaVersion: number;
  /** Data sets whose grants decide who may receive it; empty if routes alone decide. */
  dataSetIds: number[];
  /**
   * 16 random bytes of the command, in hexadecimal digits; earlier events have none. The digest of a purged event stays, and the
   * manifest leaves the salt out, so that a guess of the event cannot be confirmed.
   */
  salt?: string;
}

/** An event that was decided and is not stored yet. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  type: Type;
  data: Data;
  /** The data as JSON, if the decider already has them so. */
  json?: string;
}

/** An event as the log holds it. */
export interface RecordedEvent<E extends DomainEvent = DomainEvent> {
  id: string;
  stream: string;
  /** Zero-based revision within the stream. */
  revision: number;
  /** Commit position in the log; used for freshness only. */
  position: bigint;
  type: E['type'];
  data: E['data'];
  /** The data as stored, if an upcaster changed them: digests are computed from stored data. */
  stored?: unknown;
  metadata: EventMetadata;
  /** Why this version of the product cannot decode it; its data are then as stored. */
  undecodable?: string;
}

/** An event numbered by the projector's reader: `seq` is dense over product events in log order. */
export type SequencedEvent<E extends DomainEvent = DomainEvent> = RecordedEvent<E> & { seq: number };

export interface EventDefinition<Schema extends z.ZodType = z.ZodType> {
  schema: Schema;
  /** The version of events written today. */
  version: number;
  /** Upcasters, each from the data of version n to version n + 1. */
  upcasters: Record<number, (data: unknown) => unknown>;
}

export type EventDefinitions = Record<string, EventDefinition>;

/** Declares an event type at version 1, or at a later version with its upcasters. */
export function event<Schema extends z.ZodType>(
  schema: Schema,
  version = 1,
  upcasters: Record<number, (data: unknown) => unknown> = {},
): EventDefinition<Schema> {
  return { schema, version, upcasters };
}

/** The union of the events that a module's definitions declare. */
export type EventsOf<Definitions extends EventDefinitions> = {
  [Type in keyof Definitions & string]: DomainEvent<Type, z.infer<Definitions[Type]['schema']>>;
}[keyof Definitions & string];

/** Folds a list of events into a state. */
export function fold<State, E extends DomainEvent>(
  initial: State,
  evolve: (state: State, event: E) => State,
  events: Iterable<E>,
): State {
  let state = initial;
  for (const each of events) state = evolve(state, each);
  return state;
}
