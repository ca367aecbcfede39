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

/** POST /api/approvals/impact: the effect of approving these items. Nothing is decided. */
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

/** The effect of approving a mapping on the translation of its source value. */
export type TranslationEffect = 'STARTS' | 'CHANGES' | 'STOPS' | 'SAME';

/** Items that one impact answer examines; of more items, the ones submitted first. */
export const IMPACT_ITEMS_MAX = 10_000;

/** Answer of POST /api/approvals/impact, about the requested items that wait for the viewer's review. */
export interface ApprovalImpact {
  asked: number;
  /** How many items wait for the viewer, who wrote none of them, and were examined. */
  weighed: number;
  /** True if some items were not examined. */
  bounded: boolean;
  /** Mappings by the effect of their approval on translations. */
  effects: Record<Lowercase<TranslationEffect>, number>;
  /**
   * How often the source values whose translation starts, changes or stops were requested, and how many of them were requested
   * at all.
   */
  requests: number;
  valuesAsked: number;
  /** Crosswalks and relationships themselves, and values of relationships. */
  others: Record<Exclude<ApprovalKind, 'mapping'>, number>;
  /** The translations requested most often. */
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

/** One row of GET /api/approvals: an item under review, or a decided one. */
export interface ApprovalView {
  kind: ApprovalKind;
  id: number;
  /** The crosswalk or the relationship of the item; for a header, the item itself. */
  parentId: number;
  parentName: string;
  /** The crosswalk or relationship was deleted, so it has no page. */
  parentGone: boolean;
  sourceDataSetId: number;
  targetDataSetId: number;
  revision: number;
  status: ApprovalStatus;
  deletionRequested: boolean;
  /** The submitted value, and the served one. */
  title: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  authors: number[];
  submittedBy: number | null;
  submittedAt: string;
  comment: string | null;
  /** The command that submitted the item. Items submitted together are a batch. */
  batchId: string;
  decidedBy: number | null;
  decidedAt: string | null;
  decisionComment: string | null;
  /** The command that decided the item. Items decided together are undone together. */
  decisionId: string | null;
  /** Who undid the decision, and when; shown with the submission that is open again. Null for a decision in force. */
  undoneBy: number | null;
  undoneAt: string | null;
  /** Of a mapping: how often its source value was requested; null for other kinds. */
  impact: RequestImpact | null;
  /** The viewer's level on the governing data set. */
  level: 'READ' | 'WRITE' | 'APPROVER' | 'ADMIN';
}

/** GET /api/approvals/statistics, for the viewer. */
export interface ApprovalStatistics {
  /** Items that this user may decide: they may approve them and wrote none of them. */
  waiting: number;
  /** Items that this user submitted and others decide. */
  ownWaiting: number;
  oldestSubmittedAt: string | null;
  decidedToday: number;
  medianDecisionSeconds: number | null;
}

/**
 * POST /api/selections: freezes the result of a filter as ids and revisions. Strict: a misspelt filter would freeze everything.
 */
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
  /** Crosswalk, relationship or data set; left out for approvals and for lists across parents. */
  parentId: Id.optional(),
  filter: z.string().max(50_000).optional(),
  q: z.string().max(500).optional(),
  /** The tab of the list: a mapping status, an approvals tab, `deleted`, or `ignored` for missing mappings. */
  tab: z.string().max(50).optional(),
  /**
   * Of mappings, relationship values and instances: only rows that were not changed since these commands, so that the commands
   * can be undone.
   */
  commandIds: z.array(z.uuid()).min(1).max(1_000).optional(),
});
export type FreezeSelection = z.infer<typeof FreezeSelection>;
export interface SelectionView {
  selectionId: string;
  count: number;
  /** The parents of the selected rows, for a selection across parents: each parent's rows are named by the same selection. */
  parents?: number[];
  expiresAt: string;
}
