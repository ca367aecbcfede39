/** Reads import drafts, for commands and queries. */
import {
  DRAFT_DAYS,
  type DraftCheck,
  type DraftSettings,
  type FileProfile,
  type ImportDraft,
  type ProblemGroup,
} from '@rdm/contracts';
import type { Queryable } from './postgres.ts';

/** The stored result of a dry run. */
export type CheckResult = Omit<DraftCheck, 'jobId' | 'status'> & {
  groups: ProblemGroup[];
  /** The number of records with at least one error. */
  invalidRecords: number;
};

export interface StoredDraft {
  id: string;
  ownerId: number;
  revision: number;
  state: ImportDraft['state'];
  refusal: string | null;
  fileName: string;
  size: number;
  hash: string;
  settings: DraftSettings;
  profile: FileProfile | null;
  checkJobId: number | null;
  checkStatus: DraftCheck['status'] | null;
  checkResult: CheckResult | null;
  jobId: number | null;
  createdAt: string;
  changedAt: string;
}

/** The columns of a draft `d` and its file `f`. */
export const DRAFT_COLUMNS = `d.id, d.owner_id AS "ownerId", d.revision, d.state, d.refusal, f.file_name AS "fileName", f.size, f.hash,
  d.settings, d.profile, d.check_job_id AS "checkJobId", d.check_status AS "checkStatus",
  d.check_result AS "checkResult", d.job_id AS "jobId",
  to_json(d.created_at) #>> '{}' AS "createdAt", to_json(d.changed_at) #>> '{}' AS "changedAt"`;

/**
 * Returns the draft of an uploaded file; undefined if the file was deleted or has no draft: an upload that names its
 * target gets a draft only if it starts the import.
 */
export async function findDraft(db: Queryable, id: string): Promise<StoredDraft | undefined> {
  const { rows } = await db.query<StoredDraft>(
    `SELECT ${DRAFT_COLUMNS} FROM command.import_drafts d JOIN command.staged_files f ON f.id = d.id WHERE d.id = $1`,
    [id],
  );
  return rows[0];
}

export const emptyCheck = (): CheckResult => ({
  revision: 0,
  processed: 0,
  total: 0,
  counts: { new: 0, changed: 0, unchanged: 0, invalid: 0, skipped: 0, removed: 0, kept: 0 },
  cleared: 0,
  fields: [],
  rows: { new: [], changed: [], unchanged: [], invalid: [], skipped: [], removed: [], kept: [] },
  reason: null,
  groups: [],
  invalidRecords: 0,
});

const DAY_MS = 86_400_000;

export function draftView(draft: StoredDraft): ImportDraft {
  const { profile, checkResult, checkJobId, checkStatus, settings } = draft;
  const { groups: _groups, invalidRecords: _invalid, ...check } = checkResult ?? emptyCheck();
  return {
    id: draft.id,
    revision: draft.revision,
    state: draft.state,
    fileName: draft.fileName,
    size: draft.size,
    hash: draft.hash,
    createdAt: draft.createdAt,
    updatedAt: draft.changedAt,
    expiresAt: new Date(Date.parse(draft.changedAt) + DRAFT_DAYS * DAY_MS).toISOString(),
    refusal: draft.refusal,
    settings,
    format: profile?.format ?? null,
    read: profile?.read ?? settings.read ?? {},
    sheets: profile?.sheets ?? [],
    records: profile?.records ?? 0,
    columns: profile?.columns.map(({ name }) => name) ?? [],
    profiles: profile?.columns ?? [],
    key: profile?.key ?? null,
    label: profile?.label ?? null,
    questions: (profile?.questions ?? []).map((each) => ({
      ...each,
      answer: settings.answers?.[each.id] ?? each.answer,
    })),
    preview: profile?.preview ?? [],
    notes: profile?.notes ?? [],
    fixes: settings.fixes ?? [],
    check: checkJobId === null || checkStatus === null ? null : { ...check, jobId: checkJobId, status: checkStatus },
    jobId: draft.jobId,
  };
}
