/** The approvals dashboard and decisions across parents. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { APPROVAL_KINDS } from '../review/approval-kinds.ts';
import { RequestImpact } from '../review/request-impact.ts';
import { Comment, Id } from '../text/fields.ts';

export const APPROVAL_TABS = ['review', 'submitted', 'decided'] as const;

const Item = z.object({ kind: z.enum(APPROVAL_KINDS), id: Id, revision: z.number().int().positive() });

/** POST /api/approvals/decide: decides many items of any parents, and returns an outcome per item. */
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
export const PreviewApproval = z.union([
  z.object({
    items: z
      .array(Item.omit({ revision: true }).extend({ parentId: Id }))
      .min(1)
      .max(10_000),
  }),
  z.object({ selectionId: z.uuid() }),
]);
export type PreviewApproval = z.infer<typeof PreviewApproval>;

/** The effect of approving a mapping on the translation of its source value. */
export const TranslationEffect = defineView(() => z.enum(['STARTS', 'CHANGES', 'STOPS', 'SAME']));
export type TranslationEffect = z.infer<typeof TranslationEffect>;

/**
 * The maximum number of items that one response examines. Of a selection with more items, it examines the first ones in
 * the order of the selection.
 */
export const IMPACT_ITEMS_MAX = 10_000;

/** The response to POST /api/approvals/impact, about the requested items that wait for the viewer's review. */
export const ApprovalImpact = defineView(() =>
  z.object({
    asked: z.number().describe('The number of items in the body or in the selection.'),
    weighed: z
      .number()
      .describe(
        'The number of examined items. They wait for the review of the viewer, who is not an author of any of them.',
      ),
    bounded: z.boolean().describe('True if more items were requested than one response examines.'),
    effects: z
      .record(z.enum(['starts', 'changes', 'stops', 'same']), z.number())
      .describe('The number of mappings for each effect that their approval has on translations.'),
    requests: z
      .number()
      .describe(
        'The number of requests for source values whose translation starts, changes or stops. If several items have the same source value, its requests are added only once.',
      ),
    valuesAsked: z
      .number()
      .describe(
        'The number of source values that were requested at least once, and whose translation starts, changes or stops.',
      ),
    others: z
      .record(z.enum(APPROVAL_KINDS).exclude(['mapping']), z.number())
      .describe('The numbers of examined crosswalks, relationships and relationship values.'),
    top: z
      .array(
        z.object({
          parentId: z.number(),
          parentName: z.string(),
          id: z.number(),
          sourceValue: z.string(),
          before: z.string().nullable(),
          after: z.string().nullable(),
          effect: TranslationEffect,
          requests: z.number(),
          lastRequestedAt: z.string().nullable(),
        }),
      )
      .describe('The translations requested most often.'),
  }),
);
export type ApprovalImpact = z.infer<typeof ApprovalImpact>;

/** One row of GET /api/approvals: an item under review, or a decided or recalled one. */
export const ApprovalView = defineView(() =>
  z.object({
    kind: z.enum(APPROVAL_KINDS),
    id: z.number(),
    parentId: z
      .number()
      .describe(
        'The id of the crosswalk or relationship that has the item; if the item is a crosswalk or relationship, its own id.',
      ),
    parentName: z.string(),
    parentGone: z.boolean().describe('Whether the crosswalk or relationship was deleted, so that it has no page.'),
    sourceDataSetId: z.number(),
    targetDataSetId: z.number(),
    revision: z.number(),
    status: z.enum(['PENDING', 'APPROVED', 'REJECTED', 'RECALLED']),
    deletionRequested: z.boolean(),
    title: z.string().describe('The source and the target of the item, or the name of the crosswalk or relationship.'),
    before: z.record(z.string(), z.unknown()).nullable(),
    after: z.record(z.string(), z.unknown()).nullable(),
    authors: z.array(z.number()),
    submittedBy: z.number().nullable(),
    submittedAt: z.string(),
    comment: z.string().nullable(),
    batchId: z
      .string()
      .describe('The id of the command that submitted the item. Items submitted by one command are a batch.'),
    decidedBy: z.number().nullable(),
    decidedAt: z.string().nullable(),
    decisionComment: z.string().nullable(),
    decisionId: z
      .string()
      .nullable()
      .describe('The id of the command that decided the item. Items decided by one command are undone together.'),
    undoneBy: z
      .number()
      .nullable()
      .describe(
        'The user who undid the decision; the submission is then pending again. Null if no decision was undone.',
      ),
    undoneAt: z.string().nullable(),
    impact: RequestImpact.nullable().describe(
      'For a mapping, how often its source value was requested; null for other kinds.',
    ),
    level: z
      .enum(['READ', 'WRITE', 'APPROVER', 'ADMIN'])
      .describe("The viewer's level on the source data set of the item."),
  }),
);
export type ApprovalView = z.infer<typeof ApprovalView>;

/** GET /api/approvals/statistics: the statistics of the viewer. */
export const ApprovalStatistics = defineView(() =>
  z.object({
    waiting: z
      .number()
      .describe('The number of items that the viewer may decide: the viewer may approve them and is not an author.'),
    ownWaiting: z.number().describe('The number of items that the viewer submitted and other users decide.'),
    oldestSubmittedAt: z.string().nullable(),
    decidedToday: z.number(),
    medianDecisionSeconds: z.number().nullable(),
  }),
);
export type ApprovalStatistics = z.infer<typeof ApprovalStatistics>;

/**
 * POST /api/selections: freezes the result of a filter as ids and revisions. Unknown members are refused, because a
 * misspelt filter would select everything.
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
  /**
   * The id of the crosswalk, relationship or data set that has the rows; left out for lists across parents and for
   * definitions.
   */
  parentId: Id.optional(),
  filter: z.string().max(50_000).optional(),
  q: z.string().max(500).optional(),
  /**
   * The tab of the list: for mappings and relationship values, a tab that lists them; for approvals, `review` or
   * `submitted`; for missing mappings, `ignored`; for the other kinds, `deleted`.
   */
  tab: z.string().max(50).optional(),
  /**
   * Selects only mappings, relationship values or instances whose last change is by one of these commands, so that the
   * commands can be undone.
   */
  commandIds: z.array(z.uuid()).min(1).max(1_000).optional(),
});
export type FreezeSelection = z.infer<typeof FreezeSelection>;
export const SelectionView = defineView(() =>
  z.object({
    selectionId: z.string(),
    count: z.number(),
    parents: z
      .array(z.number())
      .exactOptional()
      .describe(
        'For a selection across several crosswalks or relationships, the ids of those that have selected rows. The commands of each of them take the same `selectionId`.',
      ),
    expiresAt: z.string(),
  }),
);
export type SelectionView = z.infer<typeof SelectionView>;

/** GET /api/approvals/approvers. */
export const ApproversView = defineView(() =>
  z.object({
    approvers: z.array(z.string()).describe('The names of the other users, except administrators, who may decide.'),
    administrators: z.number().describe('The number of other administrators, who may decide too.'),
  }),
);
export type ApproversView = z.infer<typeof ApproversView>;
