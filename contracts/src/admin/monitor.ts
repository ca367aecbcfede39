/** The monitor's view of the running system. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** One build of a projection. */
export const ProjectionState = defineView(() =>
  z.object({
    name: z.string(),
    version: z.number(),
    build: z.number(),
    state: z.string(),
    serving: z.boolean(),
    seq: z.number(),
    position: z.string(),
    lag: z.number().describe('Events that the reader has numbered and this build has not projected.'),
    failure: z.string().nullable(),
  }),
);
export type ProjectionState = z.infer<typeof ProjectionState>;

/** GET /api/monitor. */
export const MonitorView = defineView(() =>
  z.object({
    reader: z.object({ seq: z.number(), position: z.string(), at: z.string().nullable() }).nullable(),
    projections: z.array(ProjectionState),
    throughput: z.array(z.object({ minute: z.string(), events: z.number() })),
    errors: z
      .array(z.object({ minute: z.string(), errors: z.number() }))
      .describe(
        'Errors of services in the last hour: all for administrators, those of their own requests for other users.',
      ),
    endedJobs: z
      .array(z.object({ minute: z.string(), jobs: z.number() }))
      .describe('Readable jobs that ended in the last hour, by minute.'),
    jobs: z.record(z.string(), z.number()),
    clients: z.number(),
    problems: z
      .array(z.string())
      .describe('Problems that keep services from working, and their remedies, in sentences.'),
  }),
);
export type MonitorView = z.infer<typeof MonitorView>;
