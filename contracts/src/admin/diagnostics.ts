/** The data of the diagnostics page: the health of each part, and the last errors. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { ProjectionState } from './monitor.ts';

/** A response with a status of at least 500, a detached projection, a failed job, or a mail that could not be sent. */
export const ERROR_KINDS = ['REQUEST', 'PROJECTION', 'JOB', 'MAIL'] as const;
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** Days after which errors are deleted. */
export const ERROR_DAYS = 7;
/** The maximum number of errors of one service that are stored per minute; further errors are only counted. */
export const ERRORS_PER_MINUTE = 60;

/** One error, without personal data: GET /api/diagnostics/errors. */
export const ErrorView = defineView(() =>
  z.object({
    id: z.number(),
    at: z.string(),
    service: z.string(),
    kind: z.enum(ERROR_KINDS),
    route: z.string().nullable().describe('Method and path pattern of the route, for requests.'),
    status: z.number().nullable(),
    code: z.string().describe('Name or code of the error.'),
    message: z.string(),
    correlationId: z.string().nullable(),
    actorId: z.number().nullable().describe('The id of the user; for an API key, the negative of its id.'),
  }),
);
export type ErrorView = z.infer<typeof ErrorView>;

/**
 * The parts of the product. `access` works if query-api has read the stream `access-main`, which contains all grants.
 */
export const PARTS = ['postgres', 'eventStore', 'commandApi', 'projector', 'access'] as const;
export type Part = (typeof PARTS)[number];

/** Data that every signed-in user may see. */
export const OwnDiagnostics = defineView(() =>
  z.object({
    healthy: z.boolean(),
    parts: z
      .record(z.enum(PARTS), z.boolean().nullable())
      .describe('Whether each part works; null if this is unknown.'),
    session: z.object({ since: z.string(), until: z.string() }),
    errors: z.array(ErrorView).describe('The last errors that the user may see, newest first.'),
  }),
);
export type OwnDiagnostics = z.infer<typeof OwnDiagnostics>;

/** A node of an event store cluster. */
export const EventStoreMember = defineView(() =>
  z.object({
    address: z.string().nullable(),
    state: z.string().describe('The state of the node, as the event store names it: LEADER, FOLLOWER …'),
    isAlive: z.boolean(),
  }),
);
export type EventStoreMember = z.infer<typeof EventStoreMember>;

/** Data that administrators see in addition. Unknown values are null. */
export const SystemDiagnostics = defineView(() =>
  z.object({
    problems: z
      .array(z.string())
      .describe('Sentences about problems that keep services from working, with their remedies.'),
    versions: z.object({ node: z.string(), postgres: z.string() }),
    eventStore: z.object({
      isEmbedded: z.boolean(),
      version: z.string().nullable(),
      members: z.array(EventStoreMember).nullable(),
    }),
    disk: z.object({
      freeBytes: z.number().nullable().describe('Free bytes of the disk that has the data folder.'),
      totalBytes: z.number().nullable(),
      databaseBytes: z.number(),
      logBytes: z.number().nullable(),
    }),
    migrations: z.array(z.string()),
    // `head` is the end of the log; `reader` is how far the projector has read it.
    log: z.object({ head: z.string().nullable(), reader: z.object({ seq: z.number(), position: z.string() }) }),
    projections: z.array(ProjectionState.pick({ name: true, state: true, lag: true })),
    clockSkewMs: z
      .number()
      .describe('By how many milliseconds the clock of PostgreSQL is ahead of the clock of the service.'),
    omittedErrors: z
      .number()
      .describe('The number of errors that are not listed: beyond the limit, or not written because of a failure.'),
  }),
);
export type SystemDiagnostics = z.infer<typeof SystemDiagnostics>;

/** GET /api/diagnostics. */
export type DiagnosticsView = OwnDiagnostics & Partial<SystemDiagnostics>;
