/** The start page of a user: first acts of the guided start, own drafts, and key figures. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** The steps of the guided start, in their order. */
export const FIRST_ACTS = ['import', 'map', 'submit', 'approve', 'decide', 'translate'] as const;
export type FirstAct = (typeof FIRST_ACTS)[number];

/** Sample data is loaded under this correlation id, so that it does not count as an act of its users. */
export const SAMPLE_DATA_CORRELATION_ID = 'sample-data';

/** Days of the chart of decisions. */
export const HOME_DAYS = 30;

const Drafts = defineView(() =>
  z.object({
    kind: z.enum(['crosswalk', 'relationship']),
    id: z.int(),
    name: z.string(),
    /** Drafts that the user wrote or edited last. */
    count: z.int(),
  }),
);

/** Answer of GET /api/home. */
export const HomeView = defineView(() =>
  z.object({
    /** The steps that the user's role and grants allow, with the first time that the user did each; null for an open one. */
    steps: z.array(z.object({ act: z.enum(FIRST_ACTS), doneAt: z.iso.datetime({ offset: true }).nullable() })),
    guideDismissed: z.boolean(),
    /** The end of the visit before this one; null at the first visit. */
    previousVisitAt: z.iso.datetime({ offset: true }).nullable(),
    drafts: z.array(Drafts),
    figures: z.object({
      dataSets: z.int(),
      rows: z.int(),
      /** Source values with a served mapping, in all crosswalks that the user may read. */
      mappedValues: z.int(),
      /** Decisions per day, oldest first; the last one is today (UTC). */
      decisions: z.array(z.int()),
    }),
  }),
);
export type HomeView = z.infer<typeof HomeView>;

/** Changes on the start page. */
export const HOME_CHANGES_MAX = 8;
/** Changes of this many days are shown at the first visit. */
export const HOME_CHANGES_DAYS = 7;

/** One row of GET /api/home/changes. */
export const HomeChange = defineView(() =>
  z.object({
    /** The activity, as the audit log counts it. */
    id: z.int(),
    timestamp: z.iso.datetime({ offset: true }),
    /** The sentence that describes it. */
    line: z.string(),
    subjectType: z.string(),
    subjectId: z.int().nullable(),
    statusAfter: z.string().nullable(),
  }),
);
export type HomeChange = z.infer<typeof HomeChange>;

/** PATCH /api/home: notes a visit, and dismisses or restores the guided start. */
export const ChangeHome = z
  .object({ visited: z.literal(true), guideDismissed: z.boolean() })
  .partial()
  .refine((marks) => Object.keys(marks).length > 0, 'Send visited or guideDismissed');
export type ChangeHome = z.infer<typeof ChangeHome>;
