/** The monitor's view of the running system. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** The titles of the read models for users, by the names of their projections. */
export const READ_MODEL_TITLES: Readonly<Record<string, string>> = {
  reference_types: 'Reference types',
  data_sets: 'Data sets',
  instances: 'Rows of data sets',
  collections: 'Collections, roles and groups',
  crosswalks: 'Crosswalks and mappings',
  missing_mappings: 'Missing mappings',
  relationships: 'Relationships and their values',
  jobs: 'Jobs',
  saved_filters: 'Saved filters',
  filter_configurations: 'Filter configurations',
  backups: 'Backups',
  purges: 'Purges and legal holds',
  audit_log: 'Audit log: events',
  audit_activities: 'Audit log: activities',
  signing_keys: 'Signing keys',
  changes: 'Change feed',
  notifications: 'Notifications',
};

/** Events that the projector has not read are counted up to this number. */
export const UNREAD_MAX = 100;

/** One build of a projection. */
export const ProjectionState = defineView(() =>
  z.object({
    name: z.string(),
    title: z.string().describe('The title of the read model for users.'),
    version: z.number(),
    build: z.number(),
    state: z.string(),
    serving: z.boolean(),
    seq: z.number(),
    position: z.string(),
    lag: z
      .number()
      .describe(
        `The number of events that this build has not projected yet. Of the events that the projector has not read, at most ${UNREAD_MAX} are counted.`,
      ),
    failure: z.string().nullable(),
  }),
);
export type ProjectionState = z.infer<typeof ProjectionState>;

/** GET /api/monitor. */
export const MonitorView = defineView(() =>
  z.object({
    reader: z
      .object({
        seq: z.number(),
        position: z.string(),
        at: z.string().nullable(),
        unread: z
          .number()
          .nullable()
          .describe(
            `The number of events that the projector has not read, at most ${UNREAD_MAX}; null if the event store does not answer.`,
          ),
      })
      .nullable(),
    projections: z.array(ProjectionState),
    throughput: z.array(z.object({ minute: z.string(), events: z.number() })),
    errors: z
      .array(z.object({ minute: z.string(), errors: z.number() }))
      .describe(
        'Errors of services in the last hour: administrators get all, other users get errors of their own requests.',
      ),
    endedJobs: z
      .array(z.object({ minute: z.string(), jobs: z.number() }))
      .describe('Jobs that the viewer may read and that ended in the last hour, by minute.'),
    jobs: z.record(z.string(), z.number()),
    clients: z.number(),
    problems: z
      .array(z.string())
      .describe('Sentences about problems that keep services from working, with their remedies.'),
  }),
);
export type MonitorView = z.infer<typeof MonitorView>;
