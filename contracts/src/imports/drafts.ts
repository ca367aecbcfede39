/** Drafts of imports: an uploaded file, the profile of the file, and the settings of the owner. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { IMPORT_MODES } from '../jobs/jobs.ts';
import { WORDS } from '../refusal.ts';
import { atMost, Id, Name } from '../text/fields.ts';
import { DATA_TYPES, KEY_FIELDS_MAX } from '../text/rows.ts';
import { ColumnFormat } from './column-formats.ts';
import { ColumnProfile, FILE_FORMATS, ReadOptions } from './file-profile.ts';
import { Fix, PROBLEM_RULES, ProblemGroup, Question } from './problems.ts';

/** A draft whose import has not started is deleted this many days after its last change. */
export const DRAFT_DAYS = 7;

/** The maximum number of drafts in the list of drafts whose import has not started. */
export const ACTIVE_DRAFTS_MAX = 100;

/** The target of the import: a data set, a new data set, a crosswalk or a relationship. */
export const DraftTarget = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('dataSet'), dataSetId: Id }),
  z.object({
    kind: z.literal('newDataSet'),
    name: Name(WORDS.nameRequired),
    typeId: Id.optional().describe('An existing type; if left out, a type is created from the columns.'),
    typeName: Name(WORDS.nameRequired)
      .optional()
      .describe('The name of the new type; if left out, the name of the data set.'),
    collectionId: Id.optional(),
    newCollection: Name(WORDS.collectionNameRequired).optional(),
  }),
  // Mappings and relationship values are imported by other routes, which have a preview and read the file of the draft.
  z.object({ kind: z.literal('crosswalk'), crosswalkId: Id }),
  z.object({ kind: z.literal('relationship'), relationshipId: Id }),
]);
export type DraftTarget = z.infer<typeof DraftTarget>;

/** Whether a target has mappings or relationship values, which are reviewed. */
export const isOfReviewedRows = (
  target: DraftTarget | undefined,
): target is Extract<DraftTarget, { kind: 'crosswalk' | 'relationship' }> =>
  target?.kind === 'crosswalk' || target?.kind === 'relationship';

/** The properties that the owner set for one column. The other properties of the column are proposals. */
export const ColumnSetting = z.object({
  field: z
    .union([z.object({ fieldId: Id }), z.object({ name: Name(WORDS.nameRequired) }), z.null()])
    .optional()
    .describe('A field of the target, the name of a new field, or null to ignore the column.'),
  dataType: z.enum(DATA_TYPES).optional(),
  format: ColumnFormat.partial().optional(),
});
export type ColumnSetting = z.infer<typeof ColumnSetting>;

const FIXES_MAX = 10_000;

/**
 * PATCH /api/imports/{id}: replaces the sent parts of the settings, and the sent entries of `columns` and `answers`.
 * `null` resets a part to its proposal.
 */
export const ChangeDraft = z.object({
  read: ReadOptions.nullable().optional(),
  target: DraftTarget.nullable().optional(),
  columns: z.record(z.string().regex(/^\d{1,4}$/), ColumnSetting).optional(),
  key: z.array(z.number().int().min(0)).min(1).max(KEY_FIELDS_MAX).nullable().optional(),
  label: z.number().int().min(0).nullable().optional(),
  answers: z.record(z.string().max(200), z.string().max(200)).optional(),
  fixes: z
    .array(Fix)
    .max(FIXES_MAX, `A file can have at most ${FIXES_MAX.toLocaleString('en')} fixes: correct the file`)
    .optional(),
  mode: z.enum(IMPORT_MODES).optional(),
  allOrNothing: z.boolean().optional(),
  description: z.string().trim().max(1_000, atMost(1_000)).optional(),
});
export type ChangeDraft = z.infer<typeof ChangeDraft>;

/** The stored settings of a draft. Parts that the owner did not set are missing. */
export const DraftSettings = z.object({
  read: ReadOptions.optional(),
  target: DraftTarget.optional(),
  columns: z.record(z.string(), ColumnSetting).optional(),
  key: z.array(z.number().int()).optional(),
  label: z.number().int().optional(),
  answers: z.record(z.string(), z.string()).optional(),
  fixes: z.array(Fix).optional(),
  mode: z.enum(IMPORT_MODES).optional(),
  allOrNothing: z.boolean().optional(),
  description: z.string().optional(),
});
export type DraftSettings = z.infer<typeof DraftSettings>;

/** A change of the sheet or delimiter removes these settings, because the columns change too. */
const TABLE_PARTS = ['columns', 'key', 'label', 'answers', 'fixes'] as const;

export function changedSettings(settings: DraftSettings, change: ChangeDraft): DraftSettings {
  const changed: Record<string, unknown> = { ...settings };
  if ('read' in change) {
    const [before, after] = [settings.read, change.read];
    if (before?.sheet !== after?.sheet || before?.delimiter !== after?.delimiter) {
      for (const part of TABLE_PARTS) delete changed[part];
    }
  }
  for (const [part, value] of Object.entries(change)) {
    if (value === null) delete changed[part];
    else if (part === 'columns' || part === 'answers') {
      changed[part] = { ...(changed[part] as object | undefined), ...(value as object) };
    } else changed[part] = value;
  }
  return changed;
}

export const DRAFT_STATES = ['READING', 'READY', 'REFUSED', 'STARTED'] as const;

/** `removed` and `kept` are rows that a replacing file lacks. A row is kept if other data refers to it. */
export const DRAFT_OUTCOMES = ['new', 'changed', 'unchanged', 'invalid', 'skipped', 'removed', 'kept'] as const;
export type DraftOutcome = (typeof DRAFT_OUTCOMES)[number];

/** A row of a dry run. Cells are in the order of the fields. */
const CheckedRow = z.object({
  /** The number of the record in the file; the id of the row for removed and kept rows. */
  record: z.number().int(),
  /** Empty for removed and kept rows. */
  place: z.string(),
  /** The cells of the file; the current cells for removed and kept rows. */
  after: z.array(z.string()),
  /** The current cells of a changed row; otherwise null. */
  before: z.array(z.string()).nullable(),
});

/** The dry run of a draft. */
export const DraftCheck = defineView(() =>
  z.object({
    jobId: z.number(),
    revision: z.number().describe('The revision of the draft that was checked.'),
    status: z.enum(['PENDING', 'IN_PROGRESS', 'DONE', 'FAILED']),
    processed: z.number(),
    total: z.number(),
    counts: z.record(z.enum(DRAFT_OUTCOMES), z.number()),
    cleared: z.number().describe('The number of values of existing rows that an empty cell of the file would clear.'),
    fields: z.array(z.string()),
    rows: z.record(z.enum(DRAFT_OUTCOMES), z.array(CheckedRow)).describe('The first 50 rows of each outcome.'),
    reason: z.string().nullable(),
  }),
);
export type DraftCheck = z.infer<typeof DraftCheck>;

/** GET /api/imports/{id} of a draft, also after its import has started. */
export const ImportDraft = defineView(() =>
  z.object({
    id: z.string(),
    revision: z.number(),
    state: z.enum(DRAFT_STATES),
    fileName: z.string(),
    size: z.number(),
    hash: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
    expiresAt: z.string(),
    refusal: z.string().nullable().describe('Why the file cannot be read.'),
    settings: DraftSettings,
    format: z.enum(FILE_FORMATS).nullable().describe('Null until the file has been read.'),
    read: ReadOptions,
    sheets: z.array(z.object({ name: z.string(), isHidden: z.boolean() })),
    records: z.number(),
    columns: z.array(z.string()),
    profiles: z.array(ColumnProfile),
    key: z.array(z.number()).nullable().describe('The columns that are proposed as the key.'),
    label: z.number().nullable(),
    questions: z.array(Question),
    preview: z.array(z.object({ record: z.number(), place: z.string(), cells: z.array(z.string()) })),
    notes: z.array(z.string()),
    fixes: z.array(Fix),
    check: DraftCheck.nullable(),
    jobId: z.number().nullable().describe('The job of the import; null until it starts.'),
  }),
);
export type ImportDraft = z.infer<typeof ImportDraft>;

/** GET /api/imports: the caller's drafts whose import has not started, at most ACTIVE_DRAFTS_MAX. */
export const ImportDraftItem = defineView(() =>
  z.object({
    id: z.string(),
    state: z.enum(DRAFT_STATES),
    fileName: z.string(),
    size: z.number(),
    records: z.number().nullable(),
    updatedAt: z.string(),
    expiresAt: z.string(),
  }),
);
export type ImportDraftItem = z.infer<typeof ImportDraftItem>;

/** GET /api/imports/{id}/targets: data sets, types, crosswalks and relationships that fit the file, the best first. */
export const DraftTargetProposal = defineView(() =>
  z.object({
    target: DraftTarget,
    name: z.string(),
    reason: z.string(),
    score: z.number().describe('How well the target fits, from 0 to 1.'),
    isPreselected: z.boolean(),
    sharesNoKey: z
      .boolean()
      .describe('Whether the data set has rows, and none of them has a key of the first records of the file.'),
  }),
);
export type DraftTargetProposal = z.infer<typeof DraftTargetProposal>;

/** GET /api/imports/{id}/problems. */
export const DraftProblems = defineView(() =>
  z.object({
    revision: z.number(),
    records: z.number().describe('The number of records with at least one error.'),
    groups: z.array(ProblemGroup),
  }),
);
export type DraftProblems = z.infer<typeof DraftProblems>;

/** GET /api/imports/{id}/problems/{group}: the records of a group with all their cells, which the user can edit. */
export const DraftProblemRecord = defineView(() =>
  z.object({
    record: z.number(),
    place: z.string(),
    cells: z.array(z.string()),
    problems: z.array(
      z.object({
        column: z.number().nullable(),
        value: z.string(),
        rule: z.enum(PROBLEM_RULES),
        reason: z.string(),
        fix: z.string(),
      }),
    ),
  }),
);
export type DraftProblemRecord = z.infer<typeof DraftProblemRecord>;
