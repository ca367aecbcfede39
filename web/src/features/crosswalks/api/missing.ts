/** Missing mappings on the wire: values that were asked for and that no approved mapping answers. */
import type { Page } from '@rdm/contracts/filter';
import type { Level } from '@rdm/contracts/permissions';
import { queryOptions } from '@tanstack/react-query';
import { read, write } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';
import type { NewMapping } from './mappings.ts';

export interface MissingMapping {
  id: number;
  crosswalkId: number;
  crosswalkName: string;
  sourceValue: string;
  requestCount: number;
  requestedAt: string;
  lastRequestedAt: string;
  requestUserId: number | null;
  requestUsername: string | null;
  /** The key that asked; the user above created it. */
  requestApiKeyName: string | null;
  requestContext: string | null;
  ignored: boolean;
  ignoreReason: string | null;
  /** What it is mapped to already, and waits to be submitted or approved. */
  proposed: { targetValue: string; status: 'DRAFT' | 'PENDING' } | null;
  level: Level;
  suggestion?: { targetValue: string; targetLabel: string | null; confidence: number; reason: string } | null;
}

export const missingMappingsQuery = (params: ListParams, of: { crosswalkId: number | undefined; ignored: boolean }) =>
  queryOptions({
    queryKey: ['missing-mappings', params, of],
    queryFn: () =>
      read<Page<MissingMapping>>('/api/missing-mappings', {
        query: {
          ...params,
          crosswalkId: of.crosswalkId,
          ignored: of.ignored ? 'true' : undefined,
          include: 'suggestion',
        },
      }),
  });

export const ignoreMissing = (id: number, comment: string) =>
  write('POST', `/api/missing-mappings/${id}/ignore`, { comment });

/** Lists again what was ignored. */
export const reopenMissing = (id: number) => write('POST', `/api/missing-mappings/${id}/reopen`, {});

/** Drafts a mapping of the missing value. */
export const mapMissing = (id: number, target: Omit<NewMapping, 'sourceValue'>) =>
  write('POST', `/api/missing-mappings/${id}/map`, target);
