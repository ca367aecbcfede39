/** The tab of failed sign-ins. They are stored in PostgreSQL, not in the event log, because they contain names and addresses. */

import type { LoginAttemptView } from '@rdm/contracts/identity/identity';
import { LOGIN_ATTEMPT_FIELDS } from '@rdm/contracts/identity/list-fields';
import { useQuery } from '@tanstack/react-query';
import { Unlink } from 'lucide-react';
import { columnsOf, DataGrid, muted } from '../../../components/data-grid/index.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { failedSignInsQuery } from '../api/login-attempts.ts';
import { Instant } from './columns.tsx';

const { text, code } = columnsOf<LoginAttemptView>(LOGIN_ATTEMPT_FIELDS);

const COLUMNS = [
  text('attemptedAt', { cell: ({ attemptedAt }) => <Instant at={attemptedAt} />, required: true, width: 152 }),
  text('username', { minWidth: 160 }),
  code('userId', { cell: ({ userId }) => userId ?? muted('Unknown user'), width: 84 }),
  code('ipAddress', { width: 150 }),
  text('userAgent', {
    cell: ({ userAgent }) => <span title={userAgent ?? undefined}>{userAgent}</span>,
    sortable: false,
    minWidth: 200,
  }),
];

const FILTERS = filterFields(LOGIN_ATTEMPT_FIELDS, ['attemptedAt']);

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
        columns={COLUMNS}
        rowId={attemptId}
        filterFields={FILTERS}
        empty={{
          title: 'No failed sign-ins',
          description: 'Refused sign-ins appear here, for example with a wrong password or an unknown name.',
        }}
      />
    </>
  );
}
