/** Queries for the audit log: the list, the head of the log, verification, replay and exports. */
import type { AuditKind } from '@rdm/contracts/audit/audit';
import type { AuditLogView, ReplayStep } from '@rdm/contracts/audit/audit-log-view';
import type { ChainVerification, SignedHead } from '@rdm/contracts/audit/verification';
import type { Page } from '@rdm/contracts/lists/filter';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { read, urlOf } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

const PATH = '/api/audit-logs';
/** The head of the log is polled, because no room of the live channel gets all kinds of entries. A poll reads one row. */
const HEAD_REFRESH_MS = 5_000;

export const auditKey = ['audit', 'list'] as const;
export const replayKey = ['audit', 'replay'] as const;

export const auditQuery = (kind: AuditKind | undefined, params: ListParams) =>
  queryOptions({
    queryKey: [...auditKey, kind, params],
    queryFn: () => read<Page<AuditLogView>>(PATH, { query: { ...params, kind } }),
    placeholderData: keepPreviousData,
  });

export const headQuery = queryOptions({
  queryKey: ['audit', 'head'],
  queryFn: async () => (await read<{ head: ChainVerification['head'] }>(`${PATH}/head`)).head,
  refetchInterval: HEAD_REFRESH_MS,
});

export const readSignedHead = () => read<SignedHead>(`${PATH}/signed-head`, { fresh: true });

/** The whole log with the contents of its events, for the offline verifier. */
export const logExportUrl = urlOf(`${PATH}/export`, { format: 'log' });

export const verifyChain = () => read<ChainVerification>(`${PATH}/verify`, { fresh: true });

/** The subject of a replay: a whole stream, or one entity such as `crosswalk:3`. */
export interface Subject {
  stream: string | undefined;
  entity: string | undefined;
}

/** The maximum number of steps in a response. */
export const REPLAY_STEPS_MAX = 1_000;

export const replayQuery = ({ stream, entity }: Subject, offset: number) =>
  queryOptions({
    queryKey: [...replayKey, stream, entity, offset],
    queryFn: () =>
      read<ReplayStep[]>(`${PATH}/replay`, {
        query: { stream: entity === undefined ? stream : undefined, entity, offset, limit: REPLAY_STEPS_MAX },
      }),
    enabled: stream !== undefined || entity !== undefined,
    retry: false,
  });

/** The URL of an export of all matching entries, oldest first. */
export const exportUrl = (format: 'csv' | 'ndjson', kind: AuditKind | undefined, params: ListParams): string =>
  urlOf(`${PATH}/export`, { format, kind, q: params.q, filter: params.filter });
