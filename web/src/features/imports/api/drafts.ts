/** Queries and commands for import drafts: upload, settings, dry runs, and the start of the import. */
import type {
  ChangeDraft,
  DraftProblemRecord,
  DraftProblems,
  DraftTargetProposal,
  ImportDraft,
  ImportDraftItem,
} from '@rdm/contracts/imports/drafts';
import { queryOptions } from '@tanstack/react-query';
import { read, write } from '../../../lib/api/index.ts';

/** The interval for polling a draft: the server sends no live messages while it reads a file or checks rows. */
const REFRESH_MS = 400;

export const isChecking = ({ check }: ImportDraft): boolean =>
  check?.status === 'PENDING' || check?.status === 'IN_PROGRESS';

export const draftKey = (id: string) => ['imports', 'draft', id] as const;

export const draftQuery = (id: string | null) =>
  queryOptions({
    queryKey: draftKey(id ?? ''),
    queryFn: () => read<ImportDraft>(`/api/imports/${id}`),
    enabled: id !== null,
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && (data.state === 'READING' || isChecking(data)) ? REFRESH_MS : false,
    retry: false,
  });

export const draftsKey = ['imports', 'drafts'] as const;

/** The drafts of the user, the most recently changed draft first. */
export const draftsQuery = queryOptions({
  queryKey: draftsKey,
  queryFn: () => read<ImportDraftItem[]>('/api/imports'),
});

export const targetsQuery = (draft: ImportDraft) =>
  queryOptions({
    queryKey: ['imports', 'targets', draft.id, draft.columns],
    queryFn: () => read<DraftTargetProposal[]>(`/api/imports/${draft.id}/targets`),
    enabled: draft.state === 'READY',
  });

export const problemsQuery = ({ id, check }: ImportDraft) =>
  queryOptions({
    queryKey: ['imports', 'problems', id, check?.jobId],
    queryFn: () => read<DraftProblems>(`/api/imports/${id}/problems`),
    enabled: check?.status === 'DONE',
  });

/** The first 200 records with a problem of the group. The group `all` contains the records with any error. */
export const problemRecordsQuery = ({ id, check }: ImportDraft, group: string) =>
  queryOptions({
    queryKey: ['imports', 'problem-records', id, check?.jobId, group],
    queryFn: () =>
      read<{ items: DraftProblemRecord[]; total: number }>(`/api/imports/${id}/problems/${encodeURIComponent(group)}`, {
        query: { pageSize: 200 },
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Uploads a file as a draft. `replaces` is the id of the draft that the new draft replaces. */
export function uploadDraft(file: File, replaces?: string): Promise<ImportDraft> {
  const form = new FormData();
  if (replaces !== undefined) form.set('replaces', replaces);
  form.set('file', file);
  return write<ImportDraft>('POST', '/api/imports', form);
}

export const changeDraft = ({ id, revision }: Pick<ImportDraft, 'id' | 'revision'>, change: ChangeDraft) =>
  write<ImportDraft>('PATCH', `/api/imports/${id}`, change, { revision });

export const deleteDraft = (id: string) => write('DELETE', `/api/imports/${id}`);
export const validateDraft = (id: string) => write<{ jobId: number }>('POST', `/api/imports/${id}/validate`);
export const startDraft = (id: string, description: string) =>
  write<{ jobId: number; dataSetId: number }>('POST', `/api/imports/${id}/start`, { description });
