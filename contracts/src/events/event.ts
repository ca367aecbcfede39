/** What an event is: a typed past fact with metadata, its schema and version kept in one registry. */
import type { z } from 'zod';

export type SourceType = 'UI' | 'API' | 'IMPORT' | 'SYSTEM';

/** Metadata of every event (domain.md). Never personal data, never secrets. */
export interface EventMetadata {
  /** Groups what belongs together: a request, or a whole job. */
  $correlationId: string;
  /** The command that caused it; a stream that holds it has had its effect. */
  $causationId: string;
  /** The user who acted; null when the system did. */
  actorId: number | null;
  /** The API key that acted for them. */
  apiKeyId?: number;
  requestId: string;
  sourceType: SourceType;
  /** ISO instant, never before that of the previous event of the stream. */
  occurredAt: string;
  schemaVersion: number;
  /** Data sets whose grants decide who may hear of it; empty for what is governed by routes alone. */
  dataSetIds: number[];
}

/** A fact decided but not yet stored. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  type: Type;
  data: Data;
  /** The data as JSON, where whoever decided it had them so. */
  json?: string;
}

/** A fact as the log holds it. */
export interface RecordedEvent<E extends DomainEvent = DomainEvent> {
  id: string;
  stream: string;
  /** Zero-based revision within the stream. */
  revision: number;
  /** Commit position in the log: for freshness only. */
  position: bigint;
  type: E['type'];
  data: E['data'];
  /** The data as the log holds them, where an upcaster changed them: digests are of what was written. */
  stored?: unknown;
  metadata: EventMetadata;
  /** Why this version of the product cannot decode it; its data are then as they were written. */
  undecodable?: string;
}

/** An event numbered by the projector's reader: `seq` is dense over product events in log order. */
export type SequencedEvent<E extends DomainEvent = DomainEvent> = RecordedEvent<E> & { seq: number };

export interface EventDefinition<Schema extends z.ZodType = z.ZodType> {
  schema: Schema;
  /** The version written today. */
  version: number;
  /** From the data of version n to that of version n + 1. */
  upcasters: Record<number, (data: unknown) => unknown>;
}

export type EventDefinitions = Record<string, EventDefinition>;

/** Declares one event type at version 1, or later with the upcasters that lead there. */
export function event<Schema extends z.ZodType>(
  schema: Schema,
  version = 1,
  upcasters: Record<number, (data: unknown) => unknown> = {},
): EventDefinition<Schema> {
  return { schema, version, upcasters };
}

/** The union of the events that a room's definitions declare. */
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
