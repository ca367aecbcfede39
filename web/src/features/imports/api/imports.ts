/** Queries and commands for staged files: upload, detection, starting an import. */
import type { StagedFileView, StartImport } from '@rdm/contracts/imports/imports';
import { queryOptions } from '@tanstack/react-query';
import { read, write } from '../../../lib/api/index.ts';

/** How to parse the file; omitted settings are detected. */
export interface ParseSettings {
  delimiter?: string;
  encoding?: string;
  hasHeader?: boolean;
}

export const stagedKey = (fileId: string) => ['imports', 'staged', fileId] as const;

/** A staged file never changes. */
export const stagedQuery = (fileId: string | null) =>
  queryOptions({
    queryKey: stagedKey(fileId ?? ''),
    queryFn: () => read<StagedFileView>(`/api/imports/${fileId}`),
    enabled: fileId !== null,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** Uploads a file; the parts that describe it come before it. `replaces` is the staged file that it replaces. */
export function uploadFile(
  dataSetId: number,
  file: File,
  reading: ParseSettings = {},
  replaces?: string,
): Promise<StagedFileView> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ dataSetId, replaces, ...reading })) {
    if (value !== undefined) form.set(name, String(value));
  }
  form.set('file', file);
  return write<StagedFileView>('POST', '/api/imports', form);
}

export const startImport = (fileId: string, body: StartImport) =>
  write<{ jobId: number }>('POST', `/api/imports/${fileId}/start`, body);
