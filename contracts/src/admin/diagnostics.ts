/** The data of the diagnostics page: the health of each part, and the last errors. */
import type { ProjectionState } from './monitor.ts';

/** An answer with a status of at least 500, a detached projection, a failed job, or a mail that could not be sent. */
export const ERROR_KINDS = ['REQUEST', 'PROJECTION', 'JOB', 'MAIL'] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** Days after which errors are deleted. */
export const ERROR_DAYS = 7;
/** Errors of one service that are listed per minute; further ones are only counted. */
export const ERRORS_PER_MINUTE = 60;

/** One error, without personal data: GET /api/diagnostics/errors. */
export interface ErrorView {
  id: number;
  at: string;
  service: string;
  kind: ErrorKind;
  /** Method and path pattern of the route, for requests. */
  route: string | null;
  status: number | null;
  /** Name or code of the error. */
  code: string;
  message: string;
  correlationId: string | null;
  /** The user; of an API key the negative of its id. */
  actorId: number | null;
}

export const PARTS = ['postgres', 'eventStore', 'commandApi', 'projector', 'access'] as const;
export type Part = (typeof PARTS)[number];

/** Data that every signed-in user may see. */
export interface OwnDiagnostics {
  healthy: boolean;
  /** Whether each part works; null where that is not known. */
  parts: Record<Part, boolean | null>;
  session: { since: string; until: string };
  /** The last errors that the user may see, newest first. */
  errors: ErrorView[];
}

/** A node of an event store cluster. */
export interface EventStoreMember {
  address: string | null;
  /** The event store's own name for it: LEADER, FOLLOWER … */
  state: string;
  isAlive: boolean;
}

/** Data that administrators see in addition. Unknown values are null. */
export interface SystemDiagnostics {
  /** Problems that keep services from working, and their remedies, in sentences. */
  problems: string[];
  versions: { node: string; postgres: string };
  eventStore: { isEmbedded: boolean; version: string | null; members: EventStoreMember[] | null };
  disk: {
    /** Of the disk that holds the data folder. */
    freeBytes: number | null;
    totalBytes: number | null;
    databaseBytes: number;
    logBytes: number | null;
  };
  migrations: string[];
  log: { head: string | null; reader: { seq: number; position: string } };
  projections: Pick<ProjectionState, 'name' | 'state' | 'lag'>[];
  /** How far the clock of PostgreSQL is ahead of that of the service. */
  clockSkewMs: number;
  /** Errors beyond the limit, and those that could not be written. */
  omittedErrors: number;
}

/** GET /api/diagnostics. */
export type DiagnosticsView = OwnDiagnostics & Partial<SystemDiagnostics>;
