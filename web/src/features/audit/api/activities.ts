/** Queries for activities: the list, the rows that one activity changed, and exports. */
import type { ActivitiesPage, ActivityRowsPage, AuditActivity } from '@rdm/contracts/audit/activities';
import { PURGE_RUN } from '@rdm/contracts/audit/activity-actions';
import type { FilterGroup } from '@rdm/contracts/lists/filter';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { read, urlOf } from '../../../lib/api/index.ts';
import type { ListParams } from '../../../lib/url-state/list-state.ts';

const PATH = '/api/audit-logs/activities';

/** The prefix of the query parameters of the list of activities. */
export const ACTIVITY_PREFIX = 'activity-';

/** The path of the page with the activities that match a search, or with all activities. */
export const activitiesPath = (q: string | undefined): string => urlOf('/audit-logs', { [`${ACTIVITY_PREFIX}q`]: q });

export const activitiesKey = ['audit', 'activities'] as const;

export const activitiesQuery = (params: ListParams) =>
  queryOptions({
    queryKey: [...activitiesKey, params],
    queryFn: () => read<ActivitiesPage>(PATH, { query: params }),
    placeholderData: keepPreviousData,
  });

export const activityRowsQuery = (id: number, page: number) =>
  queryOptions({
    queryKey: ['audit', 'activity-rows', id, page],
    queryFn: () => read<ActivityRowsPage>(`${PATH}/${id}/rows`, { query: { page } }),
    placeholderData: keepPreviousData,
  });

/** The URL of an export of all matching activities, oldest first. */
export const activitiesExportUrl = (format: 'csv' | 'ndjson', params: ListParams): string =>
  urlOf(`${PATH}/export`, { format, q: params.q, filter: params.filter });

/** The filter of the audit log for the events of an activity: the events of its command, its job, and its purge. */
export const eventsFilter = ({
  commandId,
  jobId,
  subjectType,
  subjectId,
  facts,
}: Pick<AuditActivity, 'commandId' | 'jobId' | 'subjectType' | 'subjectId' | 'facts'>): FilterGroup => ({
  logic: 'OR',
  conditions: [
    { field: 'causationId', operator: 'equals', value: commandId },
    ...(jobId === null ? [] : [{ field: 'jobId', operator: 'equals' as const, value: jobId }]),
    ...(facts.some(({ action }) => PURGE_RUN.has(action)) ? [ofEntity(subjectType, subjectId)] : []),
  ],
});

const ofEntity = (entityType: string, entityId: number | null): FilterGroup => ({
  logic: 'AND',
  conditions: [
    { field: 'entityType', operator: 'equals', value: entityType },
    { field: 'entityId', operator: 'equals', value: entityId },
  ],
});
