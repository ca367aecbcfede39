/** The crosswalks as a plain table for printing. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Rows3 } from 'lucide-react';
import { Link } from 'react-router-dom';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { definitionRooms, definitionsKey, definitionsQuery } from '../../../lib/definitions/index.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { CROSSWALK_COLUMNS } from '../components/definition/crosswalk-columns.tsx';

const cellClasses = 'border-hairline border-b px-2 py-1.5 align-top';

export default function CrosswalkTable() {
  const state = useListState({ sort: 'name', pageSize: 200 });
  const { page, pageSize } = state.params;
  const result = useQuery({
    ...definitionsQuery<CrosswalkView>('crosswalk', state.params),
    placeholderData: keepPreviousData,
  });
  const rows = result.data?.items;
  useLive({
    rooms: definitionRooms('crosswalk', rows?.map(({ id }) => id) ?? []),
    keys: [definitionsKey('crosswalk')],
  });
  const total = typeof result.data?.total === 'number' ? result.data.total : undefined;

  return (
    <div>
      <PageHeader
        title="Crosswalks"
        description="A plain table for printing."
        actions={
          <Button asChild>
            <Link to="/crosswalks">
              <Rows3 />
              Full list
            </Link>
          </Button>
        }
      />
      {result.error !== null && rows === undefined ? (
        <ErrorState error={result.error} onRetry={() => void result.refetch()} />
      ) : rows?.length === 0 ? (
        <EmptyState title="No crosswalks yet" action={<Link to="/crosswalks">Go to the full list</Link>} />
      ) : (
        // `relative` makes visually hidden content scroll with the table, so that it does not widen the page.
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: users must be able to scroll the table by keyboard
          tabIndex={0}
          aria-label="Crosswalks"
          className="relative overflow-x-auto rounded-md border border-hairline"
        >
          <table className="w-full border-separate border-spacing-0 bg-surface text-sm" aria-busy={result.isPending}>
            <caption className="sr-only">Crosswalks</caption>
            <thead>
              <tr>
                {CROSSWALK_COLUMNS.map((column) => (
                  <th
                    key={column.id}
                    scope="col"
                    className="whitespace-nowrap border-hairline border-b bg-canvas px-2 py-1.5 text-left font-medium text-muted text-xs"
                  >
                    {column.header}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows === undefined ? (
                <tr>
                  <td colSpan={CROSSWALK_COLUMNS.length} className={cellClasses}>
                    <Skeleton className="my-2 w-1/2" />
                  </td>
                </tr>
              ) : (
                rows.map((row) => (
                  <tr key={row.id}>
                    {CROSSWALK_COLUMNS.map((column) => (
                      <td key={column.id} className={cellClasses}>
                        {column.cell(row)}
                      </td>
                    ))}
                  </tr>
                ))
              )}
            </tbody>
          </table>
        </section>
      )}
      {total !== undefined && total > pageSize && (
        <nav aria-label="Pages" className="mt-2 flex items-center gap-2 text-sm">
          <Button size="sm" disabled={page === 1} onClick={() => state.setPage(page - 1)}>
            Previous
          </Button>
          <span>
            Page {page} of {Math.ceil(total / pageSize)}
          </span>
          <Button size="sm" disabled={page * pageSize >= total} onClick={() => state.setPage(page + 1)}>
            Next
          </Button>
        </nav>
      )}
    </div>
  );
}
