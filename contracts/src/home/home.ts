/** The start page of a user: the steps of the guided start, the user's drafts, and key figures. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/**
 * The steps of the guided start, in order. `approve`: another user decided on a submission of the user. `decide`: the
 * user decided on a submission.
 */
export const FIRST_ACTS = ['import', 'map', 'submit', 'approve', 'decide', 'translate'] as const;
export type FirstAct = (typeof FIRST_ACTS)[number];

/** The correlation id of the requests that load sample data, so that these requests do not count as steps of a user. */
export const SAMPLE_DATA_CORRELATION_ID = 'sample-data';

/** The number of days in the chart of decisions. */
export const HOME_DAYS = 30;

const Drafts = defineView(() =>
  z.object({
    kind: z.enum(['crosswalk', 'relationship']),
    id: z.int(),
    name: z.string(),
    /** The number of drafts whose last editor is the user. */
    count: z.int(),
  }),
);

/** The response to GET /api/home. */
export const HomeView = defineView(() =>
  z.object({
    /**
     * The steps that the role and grants of the user allow. `doneAt` is the time when the user first did the step; null
     * if not yet.
     */
    steps: z.array(z.object({ act: z.enum(FIRST_ACTS), doneAt: z.iso.datetime({ offset: true }).nullable() })),
    guideDismissed: z.boolean(),
    /** The end of the previous visit; null at the first visit. */
    previousVisitAt: z.iso.datetime({ offset: true }).nullable(),
    drafts: z.array(Drafts),
    figures: z.object({
      dataSets: z.int(),
      rows: z.int(),
      /** The number of source values with a served mapping, in all crosswalks that the user may read. */
      mappedValues: z.int(),
      /** Decisions per day, oldest first; the last one is today (UTC). */
      decisions: z.array(z.int()),
    }),
  }),
);
export type HomeView = z.infer<typeof HomeView>;

/** The numbers of changes that the start page shows at first and after each "Show more". */
export const HOME_CHANGES_SHOWN = [8, 40, 200] as const;
export const HomeChangesQuery = z.object({
  pageSize: z.coerce
    .number()
    .int()
    .min(1)
    .max(HOME_CHANGES_SHOWN[2])
    .default(HOME_CHANGES_SHOWN[0])
    .describe('The number of latest changes to return.'),
});
/** The number of past days whose changes are shown at the first visit. */
export const HOME_CHANGES_DAYS = 7;

/** One row of GET /api/home/changes. */
export const HomeChange = defineView(() =>
  z.object({
    /** The id of the activity in the audit log. */
    id: z.int(),
    timestamp: z.iso.datetime({ offset: true }),
    /** The sentence that describes the activity. */
    line: z.string(),
    subjectType: z.string(),
    subjectId: z.int().nullable(),
    statusAfter: z.string().nullable(),
  }),
);
export type HomeChange = z.infer<typeof HomeChange>;

/** PATCH /api/home: stores a visit, and dismisses or restores the guided start. */
export const ChangeHome = z
  .object({ visited: z.literal(true), guideDismissed: z.boolean() })
  .partial()
  .refine((marks) => Object.keys(marks).length > 0, 'Send visited or guideDismissed');
export type ChangeHome = z.infer<typeof ChangeHome>;
