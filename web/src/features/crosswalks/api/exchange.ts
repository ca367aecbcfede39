/** Exports and imports of mappings: URLs, previews, and import jobs. */
import type { ImportMappings, MappingFormat, MappingImportPreview } from '@rdm/contracts/crosswalks/mapping-exchange';
import type { ImportStarted } from '@rdm/contracts/jobs/row-imports';
import { urlOf, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';
import type { MappingStatusTab } from './mappings.ts';

export interface ExportScope {
  tab?: MappingStatusTab;
  params?: Pick<ListParams, 'q' | 'filter'>;
}

export const exportUrl = (crosswalkId: number, format: MappingFormat, { tab, params }: ExportScope = {}) =>
  urlOf(`/api/crosswalks/${crosswalkId}/export`, { format, tab, q: params?.q, filter: params?.filter });

export const previewImport = (crosswalkId: number, options: ImportMappings) =>
  write<MappingImportPreview>('POST', `/api/crosswalks/${crosswalkId}/mappings/import-preview`, options);

export const importMappings = (crosswalkId: number, options: ImportMappings) =>
  write<ImportStarted>('POST', `/api/crosswalks/${crosswalkId}/mappings/import`, options);
