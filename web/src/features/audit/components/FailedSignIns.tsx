/** Failed sign-ins: stored in the vault, outside of the chain, because they contain names and addresses. */

import type { LoginAttemptView } from '@rdm/contracts/identity/identity';
import type { FilterField } from '@rdm/contracts/lists/filter';
import { useQuery } from '@tanstack/react-query';
import { Unlink } from 'lucide-react';
import { DataGrid, type GridColumn } from '../../../components/data-grid/index.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { failedSignInsQuery } from '../api/login-attempts.ts';
import { Instant } from './columns.tsx';

const columns: readonly GridColumn<LoginAttemptView>[] = [
  {
    id: 'attemptedAt',
    header: 'Time',
    cell: ({ attemptedAt }) => <Instant at={attemptedAt} />,
    value: ({ attemptedAt }) => attemptedAt,
    sortable: true,
    required: true,
    width: 152,
  },
  {
    id: 'username',
    header: 'Name tried',
    cell: ({ username }) => username,
    value: ({ username }) => username,
    sortable: true,
    minWidth: 160,
  },
  {
    id: 'userId',
    header: 'User id',
    cell: ({ userId }) => (userId === null ? <span className="text-muted">Unknown user</span> : userId),
    value: ({ userId }) => userId,
    sortable: true,
    width: 84,
  },
  {
    id: 'ipAddress',
    header: 'IP address',
    cell: ({ ipAddress }) => <span className="font-mono">{ipAddress}</span>,
    value: ({ ipAddress }) => ipAddress,
    sortable: true,
    width: 150,
  },
  {
    id: 'userAgent',
    header: 'Browser',
    cell: ({ userAgent }) => <span title={userAgent ?? undefined}>{userAgent}</span>,
    value: ({ userAgent }) => userAgent,
    minWidth: 200,
  },
];

const FILTERS: readonly FilterField[] = [
  { name: 'attemptedAt', label: 'Time', dataType: 'datetime' },
  { name: 'username', label: 'Name tried', dataType: 'string' },
  { name: 'userId', label: 'User id', dataType: 'number' },
  { name: 'ipAddress', label: 'IP address', dataType: 'string' },
  { name: 'userAgent', label: 'Browser', dataType: 'string' },
];

const attemptId = ({ id }: LoginAttemptView) => id;

export function FailedSignIns() {
  const state = useListState({ sort: 'attemptedAt', order: 'DESC', prefix: 'failed-' });
  const result = useQuery(failedSignInsQuery(state.params));
  return (
    <>
      <p className="mb-3 flex items-start gap-2 text-muted text-sm">
        <Unlink aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
        Failed sign-ins are stored outside of the event log because they contain names and addresses. They cannot be
        verified and are deleted after 400 days.
      </p>
      <DataGrid
        label="Failed sign-ins"
        entity="login-attempts"
        state={state}
        result={result}
        columns={columns}
        rowId={attemptId}
        filterFields={FILTERS}
        empty={{
          title: 'No failed sign-ins',
          description: 'Wrong passwords and unknown names appear here.',
        }}
      />
    </>
  );
}
