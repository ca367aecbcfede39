/**
 * Tests a list whose filter the server refuses. Rows of the previous view are not displayed, and the user can correct
 * the filter.
 */
import type { Page } from '@rdm/contracts/lists/filter';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { read } from '../../lib/api/index.ts';
import { type ListParams, useListState } from '../../lib/url-state/list-state.ts';
import { fakeServer, showPage } from '../../testing/page.tsx';
import { DataGrid, type GridColumn, useLongList } from './index.ts';

interface Thing {
  id: number;
  code: string;
}

const COLUMNS: readonly GridColumn<Thing>[] = [
  { id: 'code', header: 'Code', cell: ({ code }) => code, value: ({ code }) => code },
];
const FIELDS = [{ name: 'code', label: 'Code', dataType: 'string' as const }];
const VALID_CONDITION = { field: 'code', operator: 'equals' as const, value: 'A' };
const MISSING_FIELD_CONDITION = { field: 'old', operator: 'equals' as const, value: 'x' };

const idOf = ({ id }: Thing) => id;
const query = (params: ListParams) => ({
  queryKey: ['things', params],
  queryFn: () =>
    read<Page<Thing>>(params.filter?.includes(MISSING_FIELD_CONDITION.field) ? '/api/refused' : '/api/things'),
});

function Things() {
  const state = useListState();
  const result = useLongList({ state, query });
  return (
    <>
      <button
        type="button"
        onClick={() => state.setFilter({ logic: 'AND', conditions: [VALID_CONDITION, MISSING_FIELD_CONDITION] })}
      >
        Follow
      </button>
      <DataGrid
        label="Things"
        state={state}
        result={result}
        columns={COLUMNS}
        rowId={idOf}
        filterFields={FIELDS}
        bulkActions={[{ label: 'Delete', onSelect: () => undefined }]}
        empty={{ title: 'Nothing yet' }}
      />
    </>
  );
}

const UNKNOWN_FIELD = { status: 400, body: { error: 'There is no field “old” to filter by', code: 'INVALID' } };

async function openLinkWithRefusedFilter(refusal = UNKNOWN_FIELD) {
  const page = { items: [{ id: 1, code: 'A' }], page: 1, pageSize: 50, total: 1, position: '1' };
  fakeServer({
    'GET /api/things': { body: page },
    'GET /api/refused': refusal,
  });
  showPage(<Things />);
  expect(await screen.findByText('A')).toBeTruthy();
  fireEvent.click(screen.getByText('Follow'));
  expect(await screen.findByText(refusal.body.error)).toBeTruthy();
}

describe('a list whose filter the server refuses', () => {
  it('shows no rows of the previous view, so that none can be selected', async () => {
    await openLinkWithRefusedFilter();
    expect(screen.queryByText('A')).toBeNull();
    expect(document.querySelectorAll('tbody [role="checkbox"]')).toHaveLength(0);
    expect(screen.queryByText('Try Again')).toBeNull();
  });

  it('can be reloaded without the condition on a missing field', async () => {
    await openLinkWithRefusedFilter();
    fireEvent.click(screen.getByRole('button', { name: 'Remove the condition on “old”' }));
    expect(await screen.findByText('A')).toBeTruthy();
    await waitFor(() =>
      expect(JSON.parse(new URLSearchParams(window.location.search).get('filter') ?? '')).toEqual({
        logic: 'AND',
        conditions: [VALID_CONDITION],
      }),
    );
  });

  it('can be reloaded without the filter', async () => {
    await openLinkWithRefusedFilter();
    fireEvent.click(screen.getByRole('button', { name: 'Clear the filter' }));
    expect(await screen.findByText('A')).toBeTruthy();
    await waitFor(() => expect(window.location.search).not.toContain('filter'));
  });

  it('offers to try again, or to clear search, filter and sort, after a 429', async () => {
    const tooSlow = 'This takes too long: narrow the filter and try again in 16 seconds';
    await openLinkWithRefusedFilter({ status: 429, body: { error: tooSlow, code: 'TOO_MANY_REQUESTS' } });
    expect(screen.getByRole('button', { name: 'Try Again' })).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Clear search, filter and sort' }));
    expect(await screen.findByText('A')).toBeTruthy();
  });
});
