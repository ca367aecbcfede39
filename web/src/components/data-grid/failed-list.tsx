/** The error state of a list: offers to try again, or to clear the search, filter and sort that may be the cause. */
import type { FilterField } from '@rdm/contracts/lists/filter';
import { ApiError } from '../../lib/api/index.ts';
import type { ListState } from '../../lib/url-state/list-state.ts';
import { ErrorState } from '../empty-state/index.tsx';
import { filterConditions, missingFields } from '../filter-builder/operators.ts';
import { Button } from '../ui/button.tsx';
import type { ListResult } from './types.ts';

export interface FailedListProps {
  state: ListState;
  /** The fields that the list can be filtered by. */
  fields: readonly FilterField[];
  result: Pick<ListResult<unknown>, 'error' | 'refetch'>;
  title: string | undefined;
}

export function FailedList({ state, fields, result: { error, refetch }, title }: FailedListProps) {
  const { filter, params } = state;
  const isRefused = error instanceof ApiError && error.status === 400;
  const isLimited = error instanceof ApiError && error.status === 429;
  const missing = isRefused ? missingFields(filter, fields) : [];
  const shared = { error, onRetry: () => void refetch() };
  if (filter !== undefined && missing.length > 0) {
    const validFilter = filterConditions(filter, ({ field }) => !missing.includes(field));
    return (
      <ErrorState
        {...shared}
        title="This filter uses fields that no longer exist"
        actions={
          <>
            {validFilter !== undefined && (
              <Button variant="primary" onClick={() => state.setFilter(validFilter)}>
                {missing.length === 1 ? `Remove the condition on “${missing[0]}”` : 'Remove these conditions'}
              </Button>
            )}
            <Button
              variant={validFilter === undefined ? 'primary' : 'secondary'}
              onClick={() => state.setFilter(undefined)}
            >
              Clear the filter
            </Button>
          </>
        }
      />
    );
  }
  const errorProps = title === undefined ? shared : { ...shared, title };
  const hasParams = filter !== undefined || params.q !== undefined || state.view.sort !== null;
  const clearAll = () => state.apply({ ...state.view, filter: null, q: null, sort: null, order: null });
  const clear = <Button onClick={clearAll}>Clear search, filter and sort</Button>;
  if (isRefused && hasParams) return <ErrorState {...errorProps} actions={clear} />;
  // Searches took too long, or too many searches wait. The list also reloads after the time that the server gave.
  if (isLimited && hasParams) {
    const actions = (
      <>
        <Button variant="primary" onClick={shared.onRetry}>
          Try Again
        </Button>
        {clear}
      </>
    );
    return <ErrorState {...errorProps} actions={actions} />;
  }
  return <ErrorState {...errorProps} />;
}
