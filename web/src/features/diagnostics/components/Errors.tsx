/** Recent errors: all of them for administrators, their own for other users. */
import { ERROR_DAYS, type ErrorView } from '@rdm/contracts/admin/diagnostics';
import type { FilterField } from '@rdm/contracts/lists/filter';
import { useQuery } from '@tanstack/react-query';
import { Copy, ScrollText } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { DataGrid, type GridColumn, type RowAction } from '../../../components/data-grid/index.ts';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { usePeople } from '../../../lib/auth/people.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { errorsQuery } from '../api/diagnostics.ts';
import { copyText } from './copy.ts';
import { actorWords, KIND_WORDS } from './facts.ts';

const auditPath = (correlationId: string): string =>
  `/audit-logs?filter=${encodeURIComponent(
    JSON.stringify({
      logic: 'AND',
      conditions: [{ field: 'correlationId', operator: 'equals', value: correlationId }],
    }),
  )}`;

const COLUMNS: readonly GridColumn<ErrorView>[] = [
  {
    id: 'at',
    header: 'Time',
    cell: ({ at }) => <RelativeTime at={at} />,
    value: ({ at }) => at,
    sortable: true,
    required: true,
    width: 140,
  },
  {
    id: 'message',
    header: 'Message',
    cell: ({ message }) => message,
    value: ({ message }) => message,
    sortable: true,
    wrap: true,
    minWidth: 180,
  },
  {
    id: 'route',
    header: 'Route',
    cell: ({ route }) => route ?? '',
    value: ({ route }) => route,
    code: true,
    wrap: true,
    sortable: true,
    minWidth: 150,
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status }) => status ?? '',
    value: ({ status }) => status,
    sortable: true,
    numeric: true,
    width: 76,
  },
  {
    id: 'code',
    header: 'Code',
    cell: ({ code }) => code,
    value: ({ code }) => code,
    code: true,
    sortable: true,
    width: 116,
  },
  {
    id: 'service',
    header: 'Service',
    cell: ({ service }) => service,
    value: ({ service }) => service,
    sortable: true,
    width: 112,
  },
  {
    id: 'kind',
    header: 'Kind',
    cell: ({ kind }) => KIND_WORDS[kind],
    value: ({ kind }) => KIND_WORDS[kind],
    sortable: true,
    hidden: true,
    width: 96,
  },
];

const OWN_COLUMNS: readonly GridColumn<ErrorView>[] = [
  ...COLUMNS,
  {
    id: 'correlationId',
    header: 'Correlation',
    cell: ({ correlationId }) => correlationId ?? '',
    value: ({ correlationId }) => correlationId,
    code: true,
    width: 104,
  },
];

const ALL_COLUMNS: readonly GridColumn<ErrorView>[] = [
  ...COLUMNS,
  {
    id: 'actorId',
    header: 'User',
    cell: ({ actorId }) => <Actor id={actorId} />,
    value: ({ actorId }) => actorWords(actorId),
    sortable: true,
    width: 100,
  },
  {
    id: 'correlationId',
    header: 'Correlation',
    cell: ({ correlationId }) =>
      correlationId !== null && (
        <Link
          tabIndex={-1}
          to={auditPath(correlationId)}
          className="max-w-full truncate font-mono text-accent text-xs underline-offset-2 hover:underline"
          title={`Show ${correlationId} in the audit log`}
        >
          {correlationId}
        </Link>
      ),
    value: ({ correlationId }) => correlationId,
    width: 104,
  },
];

function Actor({ id }: { id: number | null }) {
  const nameOf = usePeople([id !== null && id > 0 ? id : null]);
  return id === null ? '' : id < 0 ? actorWords(id) : nameOf(id);
}

const FILTERS: readonly FilterField[] = [
  { name: 'at', label: 'Time', dataType: 'datetime' },
  { name: 'kind', label: 'Kind', dataType: 'string' },
  { name: 'service', label: 'Service', dataType: 'string' },
  { name: 'route', label: 'Route', dataType: 'string' },
  { name: 'status', label: 'Status', dataType: 'number' },
  { name: 'code', label: 'Code', dataType: 'string' },
  { name: 'message', label: 'Message', dataType: 'string' },
  { name: 'correlationId', label: 'Correlation', dataType: 'string' },
  { name: 'actorId', label: 'User id', dataType: 'number' },
];

const errorId = ({ id }: ErrorView) => id;

export function Errors() {
  const { isAdmin } = useCurrentUser();
  const navigate = useNavigate();
  const state = useListState({ sort: 'at', order: 'DESC' });
  const result = useQuery(errorsQuery(state.params));

  const actionsOf = useMemo(
    () =>
      ({ correlationId }: ErrorView): readonly RowAction<ErrorView>[] => {
        if (correlationId === null) return [];
        const copy = {
          label: 'Copy correlation id',
          icon: Copy,
          onSelect: () => void copyText(correlationId, 'Correlation id'),
        };
        if (!isAdmin) return [copy];
        const show = {
          label: 'Show in the audit log',
          icon: ScrollText,
          onSelect: () => void navigate(auditPath(correlationId)),
        };
        return [show, copy];
      },
    [isAdmin, navigate],
  );

  return (
    <DataGrid
      label="Errors"
      entity="errors"
      state={state}
      result={result}
      columns={isAdmin ? ALL_COLUMNS : OWN_COLUMNS}
      rowId={errorId}
      rowActions={actionsOf}
      filterFields={FILTERS}
      empty={
        isAdmin
          ? {
              title: `No errors in the last ${ERROR_DAYS} days`,
              description: 'Failed requests, stopped projections, failed jobs and undelivered mail appear here.',
            }
          : {
              title: `None of your requests failed in the last ${ERROR_DAYS} days`,
              description: 'Your requests that the product could not answer, and your failed jobs, appear here.',
            }
      }
    />
  );
}
