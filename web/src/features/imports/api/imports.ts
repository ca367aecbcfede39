/** Queries and commands for staged files: upload, detection, starting an import; and the import targets. */
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import type { StagedFileView, StartImport } from '@rdm/contracts/imports/imports';
import type { Page } from '@rdm/contracts/lists/filter';
import type { SchemaFieldView } from '@rdm/contracts/reference-types/reference-types';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { read, unwrap, write } from '../../../lib/api/index.ts';

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

const CHOICES = 50;

export const targetChoicesQuery = (q: string) =>
  queryOptions({
    queryKey: ['imports', 'targets', q],
    queryFn: async () => {
      const page = await read<Page<DataSetView>>('/api/reference-data', {
        query: { q, pageSize: CHOICES, sort: 'name' },
      });
      return page.items;
    },
    placeholderData: keepPreviousData,
  });

export const targetQuery = (dataSetId: number | undefined) =>
  queryOptions({
    queryKey: ['imports', 'target', dataSetId],
    queryFn: () => read<DataSetView>(`/api/reference-data/${dataSetId}`),
    enabled: dataSetId !== undefined,
  });

export const fieldsQuery = (typeId: number | undefined) =>
  queryOptions({
    queryKey: ['imports', 'fields', typeId],
    queryFn: async () => unwrap<SchemaFieldView[]>(await read(`/api/reference-types/${typeId}/schemas`)),
    enabled: typeId !== undefined,
  });
