/** The shape of events and of their metadata. The schemas and versions of all event types are in `registry.ts`. */
import type { z } from 'zod';

export type SourceType = 'UI' | 'API' | 'IMPORT' | 'SYSTEM';

/** The metadata of every event. It never contains personal data or secrets. */
export interface EventMetadata {
  /** Groups the events of one request, or of a whole job. */
  $correlationId: string;
  /**
   * The id of the command that caused the event. An append is atomic, but a command can append to a stream more than
   * once, for example in the pieces of a job.
   */
  $causationId: string;
  /** The user who acted; null if the system acted, or if a user acted without a session, as in a sign-up. */
  actorId: number | null;
  /** The API key that acted on behalf of the user. */
  apiKeyId?: number;
  requestId: string;
  sourceType: SourceType;
  /** The time of the event (ISO instant), never before the time of the previous event in the stream. */
  occurredAt: string;
  schemaVersion: number;
  /** The data sets whose grants decide which users may receive the event; empty if no grants decide this. */
  dataSetIds: number[];
  /**
   * 16 random bytes of the command, as hexadecimal digits; earlier versions of the product wrote no salt. The manifest
   * of a purge contains the digest of an event but no salt, so that the digest cannot confirm a guess of the event.
   */
  salt?: string;
}

/** An event that a decider returns and that is not stored yet. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  type: Type;
  data: Data;
  /** The data as JSON, if the decider already has the JSON. */
  json?: string | Uint8Array;
}

/** An event that was read from the log. */
export interface RecordedEvent<E extends DomainEvent = DomainEvent> {
  id: string;
  stream: string;
  /** The zero-based revision of the event within its stream. */
  revision: number;
  /** The commit position in the log, for freshness and for resuming a subscription. */
  position: bigint;
  type: E['type'];
  data: E['data'];
  /** The stored data, from which digests are computed; undefined unless an upcaster changed the data. */
  stored?: unknown;
  metadata: EventMetadata;
  /** Why this version of the product cannot decode the event; `data` are then the stored data. */
  undecodable?: string;
}

/** An event with its `seq`, by which the projector numbers product events without gaps, in the order of the log. */
export type SequencedEvent<E extends DomainEvent = DomainEvent> = RecordedEvent<E> & { seq: number };

export interface EventDefinition<Schema extends z.ZodType = z.ZodType> {
  schema: Schema;
  /** The current version, with which new events are written. */
  version: number;
  /** Upcasters by version: the upcaster of version n returns the data of version n + 1. */
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
