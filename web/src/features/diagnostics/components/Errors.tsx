/** Recent errors: administrators see all errors, other users only the errors of their own requests and jobs. */
import { ERROR_DAYS, type ErrorView } from '@rdm/contracts/admin/diagnostics';
import { ERROR_FIELDS } from '@rdm/contracts/admin/list-fields';
import { useQuery } from '@tanstack/react-query';
import { Copy, ScrollText } from 'lucide-react';
import { useMemo } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { columnsOf, DataGrid, type RowAction } from '../../../components/data-grid/index.ts';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { usePeople } from '../../../lib/auth/people.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { errorsQuery } from '../api/diagnostics.ts';
import { copyOrExplain } from './copy.ts';
import { actorWords, KIND_WORDS } from './facts.ts';

const auditPath = (correlationId: string): string =>
  `/audit-logs?filter=${encodeURIComponent(
    JSON.stringify({
      logic: 'AND',
      conditions: [{ field: 'correlationId', operator: 'equals', value: correlationId }],
    }),
  )}`;

const { custom, text, number, time } = columnsOf<ErrorView>(ERROR_FIELDS);

const kindWords = ({ kind }: ErrorView) => KIND_WORDS[kind];

const COLUMNS = [
  time('at', { required: true, width: 140 }),
  text('message', { wrap: true, minWidth: 180 }),
  text('route', { code: true, wrap: true, minWidth: 150 }),
  number('status', { width: 76 }),
  text('code', { code: true, width: 116 }),
  text('service', { width: 112 }),
  text('kind', { cell: kindWords, value: kindWords, hidden: true, width: 96 }),
];

const OWN_COLUMNS = [...COLUMNS, text('correlationId', { code: true, sortable: false, width: 104 })];

const ALL_COLUMNS = [
  ...COLUMNS,
  custom('actorId', {
    header: 'User',
    cell: ({ actorId }) => <Actor id={actorId} />,
    value: ({ actorId }) => actorWords(actorId),
    width: 100,
  }),
  text('correlationId', {
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
    sortable: false,
    width: 104,
  }),
];

function Actor({ id }: { id: number | null }) {
  const nameOf = usePeople([id !== null && id > 0 ? id : null]);
  return id === null ? '' : id < 0 ? actorWords(id) : nameOf(id);
}

const FILTERS = filterFields(ERROR_FIELDS, ['at', 'kind']);

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
          onSelect: () => void copyOrExplain(correlationId, 'Correlation id'),
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
              title: `None of your requests and jobs failed in the last ${ERROR_DAYS} days`,
              description: 'Your failed requests and your failed jobs appear here.',
            }
      }
    />
  );
}
