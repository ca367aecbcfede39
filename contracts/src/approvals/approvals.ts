/** The approvals dashboard and decisions across parents. */
import { z } from 'zod';
import type { ApprovalStatus } from '../review/approval.ts';
import { APPROVAL_KINDS, type ApprovalKind } from '../review/approval-kinds.ts';
import type { RequestImpact } from '../review/request-impact.ts';
import { Comment, Id } from '../text/fields.ts';

export const APPROVAL_TABS = ['review', 'submitted', 'decided'] as const;

const Item = z.object({ kind: z.enum(APPROVAL_KINDS), id: Id, revision: z.number().int().positive() });

/** POST /api/approvals/decide: many items of any parent; the answer is per item. */
export const Decide = z
  .object({ decision: z.enum(['approve', 'reject']), comment: Comment.optional() })
  .and(
    z.union([
      z.object({
        items: z
          .array(Item.extend({ parentId: Id }))
          .min(1)
          .max(10_000),
      }),
      z.object({ selectionId: z.uuid() }),
    ]),
  )
  .refine((body) => body.decision === 'approve' || (body.comment ?? '') !== '', {
    error: 'A reason is required',
    path: ['comment'],
  });
export type Decide = z.infer<typeof Decide>;

/** POST /api/approvals/impact: what approving these would lead to. Nothing is decided. */
export const WeighApproval = z.union([
  z.object({
    items: z
      .array(Item.omit({ revision: true }).extend({ parentId: Id }))
      .min(1)
      .max(10_000),
  }),
  z.object({ selectionId: z.uuid() }),
]);
export type WeighApproval = z.infer<typeof WeighApproval>;

/** What approving a mapping does to the translation of its source value. */
export type TranslationEffect = 'STARTS' | 'CHANGES' | 'STOPS' | 'SAME';

/** Items that one answer about their impact looks at; of more, those submitted first. */
export const IMPACT_ITEMS_MAX = 10_000;

/** Answer of POST /api/approvals/impact: of what waits for the viewer's review among what was asked about. */
export interface ApprovalImpact {
  asked: number;
  /** How many of them wait for the viewer, who wrote none of them, and were looked at. */
  weighed: number;
  /** Not all of them were looked at. */
  bounded: boolean;
  /** Mappings by what their approval does to translations. */
  effects: Record<Lowercase<TranslationEffect>, number>;
  /** How often the source values whose translation starts, changes or stops were asked for, and how many of them ever were. */
  requests: number;
  valuesAsked: number;
  /** Crosswalks and relationships themselves, and values of relationships. */
  others: Record<Exclude<ApprovalKind, 'mapping'>, number>;
  /** The translations asked for most often. */
  top: {
    parentId: number;
    parentName: string;
    id: number;
    sourceValue: string;
    before: string | null;
    after: string | null;
    effect: TranslationEffect;
    requests: number;
    lastRequestedAt: string | null;
  }[];
}

/** One row of GET /api/approvals: something under review, or decided. */
export interface ApprovalView {
  kind: ApprovalKind;
  id: number;
  /** The crosswalk or the relationship; for its header, itself. */
  parentId: number;
  parentName: string;
  /** The crosswalk or relationship was deleted: there is no page of it any more. */
  parentGone: boolean;
  sourceDataSetId: number;
  targetDataSetId: number;
  revision: number;
  status: ApprovalStatus;
  deletionRequested: boolean;
  /** What is asked for, and what is served now. */
  title: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  authors: number[];
  submittedBy: number | null;
  submittedAt: string;
  comment: string | null;
  /** The command that submitted it: what was submitted together is a batch. */
  batchId: string;
  decidedBy: number | null;
  decidedAt: string | null;
  decisionComment: string | null;
  /** The command that decided it: what was decided together is undone together. */
  decisionId: string | null;
  /** Whoever took the decision back, and when: it is told beside the submission that is open again. Null where it stands. */
  undoneBy: number | null;
  undoneAt: string | null;
  /** Of a mapping: how often its source value is asked for; null for other kinds. */
  impact: RequestImpact | null;
  /** The viewer's level on the governing data set. */
  level: 'READ' | 'WRITE' | 'APPROVER' | 'ADMIN';
}

/** GET /api/approvals/statistics, for the viewer. */
export interface ApprovalStatistics {
  /** What this person may decide: an approver of it, and none of its authors. */
  waiting: number;
  /** What this person submitted and others have to decide. */
  ownWaiting: number;
  oldestSubmittedAt: string | null;
  decidedToday: number;
  medianDecisionSeconds: number | null;
}

/** POST /api/selections: freezes what a filter finds into ids with the revisions seen. Strict: a misspelt filter would freeze everything. */
export const FreezeSelection = z.strictObject({
  kind: z.enum([
    'mappings',
    'relationship-values',
    'approvals',
    'instances',
    'missing-mappings',
    'crosswalks',
    'relationships',
  ]),
  /** Crosswalk, relationship or data set; not for approvals, nor for what is listed across parents. */
  parentId: Id.optional(),
  filter: z.string().max(50_000).optional(),
  q: z.string().max(500).optional(),
  /** A tab of the list that was looked at: a mapping status, an approvals tab, `deleted`, or `ignored` of missing mappings. */
  tab: z.string().max(50).optional(),
  /** Of mappings, values of relationships and instances: only rows that nobody touched since these commands did: so what they did is taken back. */
  commandIds: z.array(z.uuid()).min(1).max(1_000).optional(),
});
export type FreezeSelection = z.infer<typeof FreezeSelection>;
export interface SelectionView {
  selectionId: string;
  count: number;
  /** Of one across parents: whose rows it holds. Each parent's are named by the same selection. */
  parents?: number[];
  expiresAt: string;
}
