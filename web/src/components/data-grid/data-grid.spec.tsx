/** Tests the data grid: content, URL, columns, keyboard, selection, and stable row positions. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { NuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MomentContext } from '../../lib/past/index.ts';
import { useListState } from '../../lib/url-state/list-state.ts';
import { DataGrid, type DataGridProps } from './data-grid.tsx';
import { useLocalPaging } from './local-paging.ts';
import { isUnmoved, keepOrder } from './row-order.ts';
import type { GridColumn } from './types.ts';

interface Country {
  id: number;
  name: string;
}

const countries: Country[] = [
  { id: 1, name: 'Austria' },
  { id: 2, name: 'Brazil' },
  { id: 3, name: 'Chile' },
];
const columns: GridColumn<Country>[] = [
  { id: 'name', header: 'Name', cell: (row) => row.name, value: (row) => row.name, sortable: true, required: true },
  { id: 'id', header: 'Number', cell: (row) => row.id, value: (row) => row.id, numeric: true },
];
const loadedResult = {
  data: { items: countries, total: 3 },
  isPending: false,
  isFetching: false,
  error: null,
  refetch: vi.fn(),
};

function Grid(props: Partial<DataGridProps<Country>>) {
  return (
    <DataGrid
      label="Countries"
      state={useListState()}
      result={loadedResult}
      columns={columns}
      rowId={(row) => row.id}
      empty={{ title: 'No countries yet' }}
      {...props}
    />
  );
}

function show(props: Partial<DataGridProps<Country>> = {}, searchParams = '', moment?: string) {
  const queryStrings: string[] = [];
  const view = (more: Partial<DataGridProps<Country>>) => (
    <QueryClientProvider client={new QueryClient()}>
      <NuqsTestingAdapter
        searchParams={searchParams}
        hasMemory
        onUrlUpdate={({ queryString }) => queryStrings.push(queryString)}
      >
        <MomentContext value={moment}>
          <Grid {...props} {...more} />
        </MomentContext>
      </NuqsTestingAdapter>
    </QueryClientProvider>
  );
  const rendered = render(view({}));
  return { queryStrings, rerender: (more: Partial<DataGridProps<Country>>) => rendered.rerender(view(more)) };
}

const grid = () => screen.getByRole('grid', { name: 'Countries' });
const rows = () => within(grid()).getAllByRole('row').slice(1);
const names = () => rows().map((row) => row.textContent?.replace(/\d+$/, ''));
const press = (key: string, more: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });

describe('a text that wraps', () => {
  const wrapping: GridColumn<Country>[] = [{ id: 'name', header: 'Name', cell: (row) => row.name, wrap: true }];

  it('is cut after three lines if it is longer, with the whole text as a tooltip', () => {
    const long = 'Bundesverband '.repeat(40).trim();
    show({
      columns: wrapping,
      result: { ...loadedResult, data: { items: [{ id: 1, name: long }, countries[1] as Country], total: 2 } },
    });
    const [first, second] = rows().map((row) => row.querySelector<HTMLElement>('[data-column="name"]'));
    expect(first?.title).toBe(long);
    expect(first?.querySelector('.line-clamp-3')?.textContent).toBe(long);
    expect(second?.title).toBe('');
    expect(second?.querySelector('.line-clamp-3')).toBeNull();
  });
});

describe('the content of the list', () => {
  it('offers no action if the list was empty at a moment of the past', () => {
    const none = { ...loadedResult, data: { items: [], total: 0 } };
    show(
      { result: none, empty: { title: 'No countries yet', action: <button type="button">Add one</button> } },
      '',
      'seq:3',
    );
    expect(screen.getByText('No data at this time')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Add one' })).toBeNull();
  });

  it('shows the rows with their range and total', () => {
    show();
    expect(names()).toEqual(['Austria', 'Brazil', 'Chile']);
    expect(screen.getByText('1–3 of 3')).toBeTruthy();
  });

  it('prints the range of the displayed rows', () => {
    const printed = () => {
      fireEvent(window, new Event('beforeprint'));
      return document.querySelector<HTMLElement>('[data-printed-rows]')?.dataset['printedRows'];
    };
    show();
    expect(printed()).toBe('Rows 1–3 of 3');
    cleanup();
    show({ result: { ...loadedResult, data: { items: countries, total: 300 } } }, '?page=2&pageSize=3');
    expect(printed()).toBe('Rows 4–6 of 300: only displayed rows are printed');
  });

  it('shows a lower bound as the total if counting further is too expensive', () => {
    show({ result: { ...loadedResult, data: { items: countries, total: { atLeast: 10_000 } } } });
    expect(screen.getByText('1–3 of 10,000+')).toBeTruthy();
  });

  it('shows the title for an empty list if the list has no rows', () => {
    show({ result: { ...loadedResult, data: { items: [], total: 0 } } });
    expect(screen.getByText('No countries yet')).toBeTruthy();
  });

  it('shows another message when the search matches no rows', () => {
    show({ result: { ...loadedResult, data: { items: [], total: 0 } } }, '?q=zzz');
    expect(screen.getByText('Nothing matches')).toBeTruthy();
  });

  it('links from a page beyond the end to the first page', async () => {
    const { queryStrings } = show({ result: { ...loadedResult, data: { items: [], total: 3 } } }, '?page=7');
    fireEvent.click(screen.getByRole('button', { name: 'Show the first page' }));
    await vi.waitFor(() => expect(queryStrings.at(-1)).toBe(''));
  });

  it('shows the message and Try Again after a failure', () => {
    const refetch = vi.fn();
    show({ result: { ...loadedResult, data: undefined, error: new Error('The server is busy'), refetch } });
    expect(screen.getByText('The server is busy')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Try Again' }));
    expect(refetch).toHaveBeenCalledOnce();
  });
});

describe('the URL', () => {
  it('contains the sort order: ascending, descending, then none', async () => {
    const { queryStrings } = show();
    const header = () => within(grid()).getByRole('button', { name: 'Name' });
    fireEvent.click(header());
    await vi.waitFor(() => expect(queryStrings.at(-1)).toBe('?sort=name'));
    expect(within(grid()).getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('ascending');
    fireEvent.click(header());
    await vi.waitFor(() => expect(queryStrings.at(-1)).toBe('?sort=name&order=DESC'));
    fireEvent.click(header());
    await vi.waitFor(() => expect(queryStrings.at(-1)).toBe(''));
  });

  it('determines which columns are shown', () => {
    show({}, '?columns=name');
    expect(
      within(grid())
        .getAllByRole('columnheader')
        .map((header) => header.textContent),
    ).toEqual(['Name']);
  });
});

describe('the columns', () => {
  const headers = () =>
    within(grid())
      .getAllByRole('columnheader')
      .map((header) => header.textContent);
  afterEach(() => localStorage.clear());

  it('are in the order given in the URL', () => {
    show({}, '?columns=id,name');
    expect(headers()).toEqual(['Number', 'Name']);
  });

  it('can be hidden, except required columns, and can be reset', async () => {
    const { queryStrings } = show();
    fireEvent.click(screen.getByRole('button', { name: 'Choose columns' }));
    expect((await screen.findByRole('checkbox', { name: 'Name' })).hasAttribute('disabled')).toBe(true);
    fireEvent.click(screen.getByRole('checkbox', { name: 'Number' }));
    await vi.waitFor(() => expect(queryStrings.at(-1)).toBe('?columns=name'));
    fireEvent.click(screen.getByRole('checkbox', { name: 'Number' }));
    await vi.waitFor(() => expect(queryStrings.at(-1)).toBe('?columns=name,id'));
    fireEvent.click(screen.getByRole('button', { name: 'Reset columns' }));
    await vi.waitFor(() => expect(queryStrings.at(-1)).toBe(''));
  });

  it('can be searched and moved if there are many', async () => {
    const many: GridColumn<Country>[] = Array.from({ length: 14 }, (_, place) => ({
      id: `c${place}`,
      header: `Column ${place}`,
      cell: (row) => row.id,
      required: place === 0,
    }));
    const { queryStrings } = show({ columns: many }, '?columns=c0,c1,c2');
    fireEvent.click(screen.getByRole('button', { name: 'Choose columns' }));
    expect(await screen.findByText('3 of 14 shown')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Move Column 2 to the left' }));
    await vi.waitFor(() => expect(queryStrings.at(-1)).toBe('?columns=c0,c2,c1'));
    fireEvent.change(screen.getByRole('searchbox', { name: 'Search columns' }), { target: { value: '13' } });
    fireEvent.click(screen.getByRole('button', { name: 'Show these' }));
    await vi.waitFor(() => expect(queryStrings.at(-1)).toBe('?columns=c0,c2,c13,c1'));
    expect(headers()).toEqual(['Column 0', 'Column 2', 'Column 13', 'Column 1']);
  });

  it('keep the width that the user set, until a double click on the edge resets it', () => {
    show();
    const header = within(grid()).getByRole('columnheader', { name: 'Name' });
    Object.defineProperty(header, 'offsetWidth', { value: 200 });
    fireEvent.keyDown(within(header).getByRole('button'), { key: 'ArrowRight', shiftKey: true });
    expect(header.style.width).toBe('216px');
    cleanup();
    show();
    expect(within(grid()).getByRole('columnheader', { name: 'Name' }).style.width).toBe('216px');
    const edge = within(grid()).getByRole('columnheader', { name: 'Name' }).querySelector('[title^="Drag"]');
    fireEvent.doubleClick(edge as Element);
    expect(within(grid()).getByRole('columnheader', { name: 'Name' }).style.width).toBe('');
  });
});

describe('the keyboard', () => {
  it('moves with J, K and arrows, and opens with Enter', () => {
    const opened: string[] = [];
    show({ onOpen: (row) => opened.push(row.name) });
    press('j');
    expect(document.activeElement).toBe(rows()[0]);
    press('j');
    press('ArrowDown');
    press('ArrowDown');
    expect(document.activeElement).toBe(rows()[2]);
    press('k');
    press('Enter');
    expect(opened).toEqual(['Brazil']);
  });

  it('moves the focus into the list after a click on an empty area of the page', () => {
    const main = document.body.appendChild(document.createElement('main'));
    main.tabIndex = -1;
    show();
    main.focus();
    press('j');
    expect(document.activeElement).toBe(rows()[0]);
    main.remove();
  });

  it('selects with X and Space, and extends with Shift', () => {
    show({ bulkActions: [{ label: 'Submit', onSelect: () => undefined }] });
    press('j');
    press('x');
    expect(screen.getByText('1 selected')).toBeTruthy();
    press('ArrowDown', { shiftKey: true });
    expect(screen.getByText('2 selected')).toBeTruthy();
    press(' ');
    expect(screen.getByText('1 selected')).toBeTruthy();
  });

  it('leaves the Space key to the browser if the key begins the edit of a cell, and selects no row', () => {
    const cells = { useRow: () => () => undefined, isEdited: () => false, onKeyDown: () => 'typed' as const };
    show({ bulkActions: [{ label: 'Submit', onSelect: () => undefined }], cells });
    press('j');
    expect(press(' ')).toBe(true);
    expect(screen.queryByText('1 selected')).toBeNull();
  });

  it('selects the rows from a click to a click with Shift', () => {
    show({ bulkActions: [{ label: 'Submit', onSelect: () => undefined }] });
    const checkboxAt = (place: number) => within(rows()[place] as HTMLElement).getByRole('checkbox');
    for (const [place, shiftKey] of [
      [0, false],
      [2, true],
    ] as const) {
      checkboxAt(place).focus();
      fireEvent.click(checkboxAt(place), { shiftKey });
    }
    expect(screen.getByText('3 selected')).toBeTruthy();
  });

  it('opens the row menu with Shift+F10, and returns to the row with Escape', async () => {
    show({ rowActions: () => [{ label: 'Delete', onSelect: () => undefined }] });
    press('j');
    press('F10', { shiftKey: true });
    fireEvent.keyDown(await screen.findByRole('menuitem', { name: 'Delete' }), { key: 'Escape' });
    await vi.waitFor(() => expect(document.activeElement).toBe(rows()[0]));
  });

  it('ignores letters while the user types', () => {
    show();
    const search = screen.getByRole('searchbox');
    search.focus();
    press('j');
    expect(document.activeElement).toBe(search);
  });
});

describe('a selected row', () => {
  it('is deselected when it leaves the page of the list', () => {
    const { rerender } = show({ bulkActions: [{ label: 'Submit', onSelect: () => undefined }] });
    fireEvent.click(screen.getByRole('checkbox', { name: 'Select all rows on this page' }));
    expect(screen.getByText('3 selected')).toBeTruthy();
    rerender({ result: { ...loadedResult, data: { items: countries.slice(1), total: 2 } } });
    expect(screen.getByText('2 selected')).toBeTruthy();
  });
});

describe('selecting all matching rows', () => {
  it('disables actions until the server has stored the selection', async () => {
    const chosen: unknown[] = [];
    show({
      result: { ...loadedResult, data: { items: countries, total: 4_321 } },
      selectAll: async () => ({ selectionId: 's1', count: 4_321 }),
      bulkActions: [{ label: 'Submit', onSelect: ({ selectionId, count }) => chosen.push([selectionId, count]) }],
    });
    fireEvent.click(screen.getByRole('checkbox', { name: 'Select all rows on this page' }));
    expect(screen.getByText('3 selected')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Select all 4,321 matching rows' }));
    // No action is possible until the server responds, because it would affect only the rows of this page.
    fireEvent.click(screen.getByRole('button', { name: 'Submit' }));
    expect(await screen.findByText('All 4,321 matching rows are selected')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Submit' }));
    expect(chosen).toEqual([['s1', 4_321]]);
  });
});

it('disables the checkbox that selects all rows until rows are loaded', () => {
  const { rerender } = show({
    result: { ...loadedResult, data: undefined, isPending: true },
    bulkActions: [{ label: 'Submit', onSelect: () => undefined }],
  });
  const checkbox = () => screen.getByRole('checkbox', { name: 'Select all rows on this page' }) as HTMLButtonElement;
  expect(checkbox().disabled).toBe(true);
  rerender({ result: loadedResult });
  expect(checkbox().disabled).toBe(false);
});

describe('changes by other users', () => {
  const changed = [{ id: 4, name: 'Angola' }, { id: 1, name: 'Austria (AT)' }, countries[1], countries[2]] as Country[];
  const liveChanges = (others: number, own = 0) => ({ many: 0, others, own });

  it('are announced in a bar if they would move the row under the pointer', () => {
    const { rerender } = show({ live: liveChanges(0) });
    fireEvent.pointerOver(rows()[1] as Element);
    rerender({ live: liveChanges(1), result: { ...loadedResult, data: { items: changed, total: 4 } } });
    expect(names()).toEqual(['Austria (AT)', 'Brazil', 'Chile']);
    fireEvent.click(screen.getByRole('button', { name: '1 new change – show' }));
    expect(names()).toEqual(['Angola', 'Austria (AT)', 'Brazil', 'Chile']);
  });

  it('are shown immediately if neither pointer nor focus is on the list', () => {
    const { rerender } = show({ live: liveChanges(0) });
    rerender({ live: liveChanges(1), result: { ...loadedResult, data: { items: changed, total: 4 } } });
    expect(names()).toEqual(['Angola', 'Austria (AT)', 'Brazil', 'Chile']);
    fireEvent.pointerOver(rows()[1] as Element);
    rerender({ live: liveChanges(1), result: { ...loadedResult, data: { items: countries, total: 3 } } });
    expect(names()).toEqual(['Austria', 'Brazil', 'Chile']);
  });
});

describe('a list with own changes and changes by others', () => {
  const resultOf = (list: Country[], dataUpdatedAt: number) => ({
    ...loadedResult,
    data: { items: list, total: list.length },
    dataUpdatedAt,
  });
  const austria = countries[0] as Country;
  const withoutAustria = countries.slice(1);
  const withAngola = [{ id: 4, name: 'Angola' }, ...countries];
  const liveChanges = (others: number, own: number) => ({ many: 0, others, own });
  /** The pointer is on the second row. */
  function showWithPointer() {
    const { rerender } = show({ live: liveChanges(0, 0), result: resultOf(countries, 1) });
    fireEvent.pointerOver(rows()[1] as Element);
    return rerender;
  }

  it('shows an own change immediately if changes by others moved no row', () => {
    const rerender = showWithPointer();
    rerender({ live: liveChanges(1, 0), result: resultOf(countries, 2) });
    rerender({ live: liveChanges(1, 0), result: resultOf(withoutAustria, 3) });
    expect(names()).toEqual(['Brazil', 'Chile']);
    rerender({ live: liveChanges(1, 1), result: resultOf(withoutAustria, 3) });
    expect(names()).toEqual(['Brazil', 'Chile']);
  });

  it('shows own changes and changes by others together if one read loads both', () => {
    const rerender = showWithPointer();
    const withBothChanges = [{ id: 4, name: 'Angola' }, ...withoutAustria];
    rerender({ live: liveChanges(1, 1), result: resultOf(withBothChanges, 2) });
    expect(names()).toEqual(['Angola', 'Brazil', 'Chile']);
    rerender({ live: liveChanges(2, 1), result: resultOf([austria, ...withBothChanges], 3) });
    expect(names()).toEqual(['Angola', 'Brazil', 'Chile']);
    rerender({ live: liveChanges(2, 2), result: resultOf([austria, ...withBothChanges], 3) });
    expect(names()).toEqual(['Austria', 'Angola', 'Brazil', 'Chile']);
  });

  it('does not delay the rows of another sort order because of changes by others', async () => {
    const rerender = showWithPointer();
    rerender({ live: liveChanges(0, 0), result: { ...resultOf(countries, 1), isPlaceholderData: true } });
    fireEvent.click(within(grid()).getByRole('button', { name: 'Name' }));
    await vi.waitFor(() =>
      expect(within(grid()).getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('ascending'),
    );
    rerender({ live: liveChanges(1, 0), result: { ...resultOf(countries, 1), isPlaceholderData: true } });
    expect(names()).toEqual(['Austria', 'Brazil', 'Chile']);
    rerender({ live: liveChanges(1, 0), result: resultOf(withoutAustria, 2) });
    expect(names()).toEqual(['Brazil', 'Chile']);
  });

  it('keeps an edited row that no longer matches the filter, until another row is removed', () => {
    const cells = { useRow: () => () => undefined, isEdited: ({ id }: Country) => id === austria.id };
    const { rerender } = show({ live: liveChanges(0, 0), result: resultOf(countries, 1), cells });
    fireEvent.pointerOver(rows()[2] as Element);
    rerender({ live: liveChanges(0, 1), result: resultOf(withoutAustria, 2), cells });
    expect(names()).toEqual(['Austria', 'Brazil', 'Chile']);
    expect(screen.getByText('1–3 of 3')).toBeTruthy();
    expect(screen.getByRole('button', { name: /^1 edited row no longer matches/ })).toBeTruthy();
    rerender({ live: liveChanges(0, 2), result: resultOf(withoutAustria.slice(1), 3), cells });
    expect(names()).toEqual(['Chile']);
  });

  it('delays changes by others that are made after an own change was loaded', () => {
    const rerender = showWithPointer();
    rerender({ live: liveChanges(0, 1), result: resultOf(countries, 1) });
    rerender({ live: liveChanges(0, 1), result: resultOf(countries, 2) });
    rerender({ live: liveChanges(1, 1), result: resultOf(withAngola, 3) });
    expect(names()).toEqual(['Austria', 'Brazil', 'Chile']);
  });
});

describe('row order', () => {
  const idOf = (row: Country) => String(row.id);
  it('counts added and removed rows, counts a move as one, and detects a change up to a given row', () => {
    const [a, b, c] = countries as [Country, Country, Country];
    expect(keepOrder([a, b], [b, c], idOf)).toEqual({ rows: [a, b], pendingCount: 2 });
    expect(keepOrder([a, b], [b, a], idOf)).toEqual({ rows: [a, b], pendingCount: 1 });
    expect(keepOrder([a, b], [a, b], idOf).pendingCount).toBe(0);
    expect(isUnmoved([a, b], [a, b, c], 1, idOf)).toBe(true);
    expect(isUnmoved([a, b], [a, c, b], 1, idOf)).toBe(false);
  });
});

describe('a list that the server returns as a whole', () => {
  function LocalGrid() {
    const state = useListState({ pageSize: 2 });
    const result = useLocalPaging({ ...loadedResult, data: countries }, state.params);
    return (
      <DataGrid
        label="Countries"
        state={state}
        result={result}
        columns={columns}
        rowId={(row) => row.id}
        empty={{ title: 'No countries yet' }}
      />
    );
  }
  const showRows = (searchParams: string) => {
    render(
      <QueryClientProvider client={new QueryClient()}>
        <NuqsTestingAdapter searchParams={searchParams}>
          <LocalGrid />
        </NuqsTestingAdapter>
      </QueryClientProvider>,
    );
    return names();
  };
  it('is divided into pages', () => {
    expect(showRows('')).toEqual(['Austria', 'Brazil']);
    cleanup();
    expect(showRows('?page=2')).toEqual(['Chile']);
  });
});
