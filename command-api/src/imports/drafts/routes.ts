/** Routes of drafts: their settings, their dry runs and their deletion. Drafts cause no events. */
import {
  ChangeDraft,
  type DraftTarget,
  type FileFormat,
  ImportDraft,
  isOfReviewedRows,
  Refusal,
  type StagedRowsView,
} from '@rdm/contracts';
import { type ApiRequest, draftView, type Pool, type Route, route, type StoredDraft } from '@rdm/platform';
import { z } from 'zod';
import { requireReviewedRowsSize, type StagedDraft } from '../../file-imports/staged-files.ts';
import { dataSetFor } from '../../runtime/authorise.ts';
import type { Execution } from '../../runtime/execution.ts';
import type { Governance } from '../../runtime/governance.ts';
import type { OpenReadExecution } from '../../runtime/read-execution.ts';
import { changeDraft, deleteDraft, rememberedColumns, requestCheck, requireDraft } from './draft-store.ts';
import { loadTarget, requireReadyDraft } from './draft-target.ts';

export interface DraftDependencies {
  pool: Pool;
  openExecution: OpenReadExecution;
  /**
   * Requires WRITE on the source of a crosswalk, and returns the governance of the crosswalk. `relationship` does the
   * same for a relationship.
   */
  crosswalk: (x: Execution, id: number) => Promise<Governance>;
  relationship: (x: Execution, id: number) => Promise<Governance>;
  /** Notifies the worker that it has a file to read or to check. */
  wake: () => void;
}

/**
 * Only the owner of a draft can use it. WRITE on the target is checked when the target is set, before a dry run, and
 * when the import starts.
 */
const own = { signedIn: true } as const;
const DRAFT = { id: { operation: 'POST /api/imports', example: 'a draft', property: 'id' } } as const;

type ReviewedTarget = Extract<DraftTarget, { kind: 'crosswalk' | 'relationship' }>;

/** The formats that the imports of mappings and relationship values read. */
const REVIEWED_ROW_FORMATS: readonly FileFormat[] = ['text', 'xlsx', 'json', 'ndjson', 'fhir'];

export function draftRoutes({ pool, openExecution, crosswalk, relationship, wake }: DraftDependencies): Route[] {
  const ownDraft = (request: ApiRequest) => requireDraft(pool, fileParam(request), request.principal.userId);

  /**
   * Checks the rights on a new target. Returns a new view of the staged file for this target; undefined if the change
   * leaves the target as it is.
   */
  async function viewForTarget(
    x: Execution,
    { id, fileName, size, hash, profile }: StoredDraft,
    target: ChangeDraft['target'],
  ): Promise<StagedDraft | StagedRowsView | undefined> {
    if (target === undefined) return undefined;
    if (target?.kind === 'dataSet') await dataSetFor(x, target.dataSetId, 'WRITE');
    const encoding = profile?.read.encoding ?? 'utf-8';
    if (!isOfReviewedRows(target ?? undefined)) return { id, dataSetId: null, fileName, size, hash, encoding };
    if (profile && !REVIEWED_ROW_FORMATS.includes(profile.format)) {
      throw new Refusal(
        'INVALID',
        'Mappings and relationship values are imported from a workbook, text or JSON: choose another file',
      );
    }
    requireReviewedRowsSize(size);
    const { kind: _, ...into } = target as ReviewedTarget;
    const { governedBy } = await ('crosswalkId' in into
      ? crosswalk(x, into.crosswalkId)
      : relationship(x, into.relationshipId));
    return { id, dataSetId: governedBy[0] as number, ...into, fileName, size, hash, encoding };
  }

  /**
   * If the new target of a draft is a data set, adds the column settings of the last file with the same headers that
   * was imported into this data set, unless the draft or the change has column settings.
   */
  async function withRememberedColumns({ profile, settings }: StoredDraft, change: ChangeDraft): Promise<ChangeDraft> {
    const { target } = change;
    if (target?.kind !== 'dataSet' || !profile || settings.columns || change.columns) return change;
    const names = profile.columns.map(({ name }) => name);
    const columns = await rememberedColumns(pool, target.dataSetId, names);
    return columns ? { ...change, columns } : change;
  }

  return [
    route(
      'patch',
      '/api/imports/:id',
      own,
      {
        summary: 'Change the settings of a draft',
        example: { body: { mode: 'upsert' }, from: DRAFT },
        answers: { 200: ImportDraft },
        errors: ['CONFLICT'],
        body: ChangeDraft,
      },
      async (request) => {
        const draft = await ownDraft(request);
        const x = openExecution({ ...request, needs: { level: 'WRITE' } });
        const view = await viewForTarget(x, draft, request.body.target);
        const changed = await changeDraft(
          pool,
          draft,
          await withRememberedColumns(draft, request.body),
          request.ifMatch,
          view,
        );
        wake();
        return { body: draftView(changed) };
      },
    ),
    route(
      'delete',
      '/api/imports/:id',
      own,
      {
        summary: 'Delete a draft with its file',
        example: { from: DRAFT },
        answers: { 204: null },
        errors: ['CONFLICT'],
      },
      async (request) => {
        await deleteDraft(pool, await ownDraft(request));
        return { status: 204 };
      },
    ),
    route(
      'post',
      '/api/imports/:id/validate',
      own,
      {
        summary: 'Check all records of a draft without writing any',
        example: { from: DRAFT },
        answers: { 202: z.object({ jobId: z.number() }) },
        errors: ['CONFLICT'],
      },
      async (request) => {
        const draft = await ownDraft(request);
        const x = openExecution(request);
        const { target } = draft.settings;
        if (target?.kind === 'dataSet') await dataSetFor(x, target.dataSetId, 'WRITE');
        requireReadyDraft(draft, await loadTarget(x, target));
        const hasCurrentCheck = draft.checkStatus !== null && draft.checkResult?.revision === draft.revision;
        if (hasCurrentCheck && draft.checkStatus !== 'FAILED')
          return { status: 202, body: { jobId: draft.checkJobId as number } };
        const { rows } = await pool.query<{ id: number }>(`SELECT nextval('command.job_ids') AS id`);
        const jobId = Number(rows[0]?.id);
        await requestCheck(pool, draft, jobId);
        wake();
        return { status: 202, body: { jobId } };
      },
    ),
  ];
}

/** Returns the id of the uploaded file in the path of a request. */
export function fileParam(request: { params: Record<string, string> }): string {
  const parsed = z.uuid().safeParse(request.params['id']);
  if (!parsed.success) throw new Refusal('NOT_FOUND', 'This upload does not exist');
  return parsed.data;
}
