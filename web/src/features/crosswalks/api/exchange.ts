/** Mappings as files on the wire: where exports are, what an import would do. */
import type { MappingFormat, MappingImportPreview, PreviewMappingImport } from '@rdm/contracts/mapping-exchange';
import { urlOf, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';
import type { StatusTab } from './mappings.ts';

export interface ExportOf {
  tab?: StatusTab;
  params?: Pick<ListParams, 'q' | 'filter'>;
}

export const exportUrl = (crosswalkId: number, format: MappingFormat, { tab, params }: ExportOf = {}) =>
  urlOf(`/api/crosswalks/${crosswalkId}/export`, { format, tab, q: params?.q, filter: params?.filter });

export const previewImport = (crosswalkId: number, file: PreviewMappingImport) =>
  write<MappingImportPreview>('POST', `/api/crosswalks/${crosswalkId}/mappings/import-preview`, file);
