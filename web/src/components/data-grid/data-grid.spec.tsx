/** Specifies the one list: its keyboard, selection, states and place-keeping. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { NuqsTestingAdapter } from 'nuqs/adapters/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MomentContext } from '../../lib/past/index.ts';
import { useListState } from '../../lib/url-state/list-state.ts';
import { DataGrid, type DataGridProps } from './data-grid.tsx';
import { usePagedLocally } from './local-paging.ts';
import { hold, isStill } from './row-order.ts';
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
const answered = {
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
      result={answered}
      columns={columns}
      rowId={(row) => row.id}
      empty={{ title: 'No countries yet' }}
      {...props}
    />
  );
}

function show(props: Partial<DataGridProps<Country>> = {}, searchParams = '', moment?: string) {
  const asked: string[] = [];
  const view = (more: Partial<DataGridProps<Country>>) => (
    <QueryClientProvider client={new QueryClient()}>
      <NuqsTestingAdapter
        searchParams={searchParams}
        hasMemory
        onUrlUpdate={({ queryString }) => asked.push(queryString)}
      >
        <MomentContext value={moment}>
          <Grid {...props} {...more} />
        </MomentContext>
      </NuqsTestingAdapter>
    </QueryClientProvider>
  );
  const rendered = render(view({}));
  return { asked, again: (more: Partial<DataGridProps<Country>>) => rendered.rerender(view(more)) };
}

const grid = () => screen.getByRole('grid', { name: 'Countries' });
const rows = () => within(grid()).getAllByRole('row').slice(1);
const names = () => rows().map((row) => row.textContent?.replace(/\d+$/, ''));
const press = (key: string, more: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });

describe('what is shown', () => {
  it('offers nothing to begin with where there was nothing at a moment of the past', () => {
    const none = { ...answered, data: { items: [], total: 0 } };
    show(
      { result: none, empty: { title: 'No countries yet', action: <button type="button">Add one</button> } },
      '',
      'seq:3',
    );
    expect(screen.getByText('There was nothing then')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Add one' })).toBeNull();
  });

  it('are the rows, with their range and total', () => {
    show();
    expect(names()).toEqual(['Austria', 'Brazil', 'Chile']);
    expect(screen.getByText('1–3 of 3')).toBeTruthy();
  });

  it('is a floor where counting on would cost too much', () => {
    show({ result: { ...answered, data: { items: countries, total: { atLeast: 10_000 } } } });
    expect(screen.getByText('1–3 of 10,000+')).toBeTruthy();
  });

  it('is the next action while there is nothing', () => {
    show({ result: { ...answered, data: { items: [], total: 0 } } });
    expect(screen.getByText('No countries yet')).toBeTruthy();
  });

  it('is another word while the filter hides everything', () => {
    show({ result: { ...answered, data: { items: [], total: 0 } } }, '?q=zzz');
    expect(screen.getByText('Nothing matches')).toBeTruthy();
  });

  it('is the message and Try Again after a failure', () => {
    const refetch = vi.fn();
    show({ result: { ...answered, data: undefined, error: new Error('The server is busy'), refetch } });
    expect(screen.getByText('The server is busy')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Try Again' }));
    expect(refetch).toHaveBeenCalledOnce();
  });
});

describe('the link', () => {
  it('carries the sort: ascending, descending, then none', async () => {
    const { asked } = show();
    const header = () => within(grid()).getByRole('button', { name: 'Name' });
    fireEvent.click(header());
    await vi.waitFor(() => expect(asked.at(-1)).toBe('?sort=name'));
    expect(within(grid()).getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('ascending');
    fireEvent.click(header());
    await vi.waitFor(() => expect(asked.at(-1)).toBe('?sort=name&order=DESC'));
    fireEvent.click(header());
    await vi.waitFor(() => expect(asked.at(-1)).toBe(''));
  });

  it('chooses the columns', () => {
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

  it('stand in the order of the link', () => {
    show({}, '?columns=id,name');
    expect(headers()).toEqual(['Number', 'Name']);
  });

  it('are chosen, but for those that name the row', async () => {
    const { asked } = show();
    fireEvent.click(screen.getByRole('button', { name: 'Choose columns' }));
    expect((await screen.findByRole('checkbox', { name: 'Name' })).hasAttribute('disabled')).toBe(true);
    fireEvent.click(screen.getByRole('checkbox', { name: 'Number' }));
    await vi.waitFor(() => expect(asked.at(-1)).toBe('?columns=name'));
    fireEvent.click(screen.getByRole('checkbox', { name: 'Number' }));
    await vi.waitFor(() => expect(asked.at(-1)).toBe('?columns=name,id'));
    fireEvent.click(screen.getByRole('button', { name: 'Reset columns' }));
    await vi.waitFor(() => expect(asked.at(-1)).toBe(''));
  });

  it('are searched and moved where they are many', async () => {
    const many: GridColumn<Country>[] = Array.from({ length: 14 }, (_, place) => ({
      id: `c${place}`,
      header: `Column ${place}`,
      cell: (row) => row.id,
      required: place === 0,
    }));
    const { asked } = show({ columns: many }, '?columns=c0,c1,c2');
    fireEvent.click(screen.getByRole('button', { name: 'Choose columns' }));
    expect(await screen.findByText('3 of 14 shown')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Move Column 2 to the left' }));
    await vi.waitFor(() => expect(asked.at(-1)).toBe('?columns=c0,c2,c1'));
    fireEvent.change(screen.getByRole('searchbox', { name: 'Search columns' }), { target: { value: '13' } });
    fireEvent.click(screen.getByRole('button', { name: 'Show these' }));
    await vi.waitFor(() => expect(asked.at(-1)).toBe('?columns=c0,c2,c13,c1'));
    expect(headers()).toEqual(['Column 0', 'Column 2', 'Column 13', 'Column 1']);
  });

  it('keep the width somebody gave them', () => {
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

  it('moves in from a page that somebody clicked into, beside everything', () => {
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

  it('selects from one click to the next with Shift, though the second takes the focus first', () => {
    show({ bulkActions: [{ label: 'Submit', onSelect: () => undefined }] });
    const box = (place: number) => within(rows()[place] as HTMLElement).getByRole('checkbox');
    for (const [place, shiftKey] of [
      [0, false],
      [2, true],
    ] as const) {
      box(place).focus();
      fireEvent.click(box(place), { shiftKey });
    }
    expect(screen.getByText('3 selected')).toBeTruthy();
  });

  it('opens the row menu with Shift+F10', async () => {
    show({ rowActions: () => [{ label: 'Delete', onSelect: () => undefined }] });
    press('j');
    press('F10', { shiftKey: true });
    fireEvent.keyDown(await screen.findByRole('menuitem', { name: 'Delete' }), { key: 'Escape' });
    await vi.waitFor(() => expect(document.activeElement).toBe(rows()[0]));
  });

  it('leaves letters alone while somebody types', () => {
    show();
    const search = screen.getByRole('searchbox');
    search.focus();
    press('j');
    expect(document.activeElement).toBe(search);
  });
});

describe('selecting all that match', () => {
  it('freezes them on the server and tells the exact count', async () => {
    const chosen: unknown[] = [];
    show({
      result: { ...answered, data: { items: countries, total: 4_321 } },
      selectAll: async () => ({ selectionId: 's1', count: 4_321 }),
      bulkActions: [{ label: 'Submit', onSelect: ({ selectionId, count }) => chosen.push([selectionId, count]) }],
    });
    fireEvent.click(screen.getByRole('checkbox', { name: 'Select all rows on this page' }));
    expect(screen.getByText('3 selected')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Select all 4,321 that match' }));
    // Meanwhile an action would take the rows of this page alone.
    fireEvent.click(screen.getByRole('button', { name: 'Submit' }));
    expect(await screen.findByText('All 4,321 that match are selected')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Submit' }));
    expect(chosen).toEqual([['s1', 4_321]]);
  });
});

it('selects nothing before there is anything to select', () => {
  const { again } = show({
    result: { ...answered, data: undefined, isPending: true },
    bulkActions: [{ label: 'Submit', onSelect: () => undefined }],
  });
  const checkbox = () => screen.getByRole('checkbox', { name: 'Select all rows on this page' }) as HTMLButtonElement;
  expect(checkbox().disabled).toBe(true);
  again({ result: answered });
  expect(checkbox().disabled).toBe(false);
});

describe('changes by others', () => {
  const changed = [{ id: 4, name: 'Angola' }, { id: 1, name: 'Austria (AT)' }, countries[1], countries[2]] as Country[];
  const live = (others: number, own = 0) => ({ many: 0, others, own });

  it('wait behind a bar while the pointer is on a row that would move, with contents fresh', () => {
    const { again } = show({ live: live(0) });
    fireEvent.pointerOver(rows()[1] as Element);
    again({ live: live(1), result: { ...answered, data: { items: changed, total: 4 } } });
    expect(names()).toEqual(['Austria (AT)', 'Brazil', 'Chile']);
    fireEvent.click(screen.getByRole('button', { name: '1 new change – show' }));
    expect(names()).toEqual(['Angola', 'Austria (AT)', 'Brazil', 'Chile']);
  });

  it('show at once while the person is elsewhere, and their own do always', () => {
    const { again } = show({ live: live(0) });
    again({ live: live(1), result: { ...answered, data: { items: changed, total: 4 } } });
    expect(names()).toEqual(['Angola', 'Austria (AT)', 'Brazil', 'Chile']);
    fireEvent.pointerOver(rows()[1] as Element);
    again({ live: live(1), result: { ...answered, data: { items: countries, total: 3 } } });
    expect(names()).toEqual(['Austria', 'Brazil', 'Chile']);
  });
});

describe('changes by others and by oneself', () => {
  const read = (list: Country[], dataUpdatedAt: number) => ({
    ...answered,
    data: { items: list, total: list.length },
    dataUpdatedAt,
  });
  const austria = countries[0] as Country;
  const rest = countries.slice(1);
  const more = [{ id: 4, name: 'Angola' }, ...countries];
  const live = (others: number, own: number) => ({ many: 0, others, own });
  /** Somebody whose pointer is on the second row. */
  function looking() {
    const { again } = show({ live: live(0, 0), result: read(countries, 1) });
    fireEvent.pointerOver(rows()[1] as Element);
    return again;
  }

  it('that concerned no row of the list do not hold the own change that follows', () => {
    const again = looking();
    again({ live: live(1, 0), result: read(countries, 2) });
    again({ live: live(1, 0), result: read(rest, 3) });
    expect(names()).toEqual(['Brazil', 'Chile']);
    again({ live: live(1, 1), result: read(rest, 3) });
    expect(names()).toEqual(['Brazil', 'Chile']);
  });

  it('are shown together where they are read together, whichever is told first', () => {
    const again = looking();
    const both = [{ id: 4, name: 'Angola' }, ...rest];
    again({ live: live(1, 1), result: read(both, 2) });
    expect(names()).toEqual(['Angola', 'Brazil', 'Chile']);
    again({ live: live(2, 1), result: read([austria, ...both], 3) });
    expect(names()).toEqual(['Angola', 'Brazil', 'Chile']);
    again({ live: live(2, 2), result: read([austria, ...both], 3) });
    expect(names()).toEqual(['Austria', 'Angola', 'Brazil', 'Chile']);
  });

  it('do not hold the rows of another page, which arrive after they were told', async () => {
    const again = looking();
    again({ live: live(0, 0), result: { ...read(countries, 1), isPlaceholderData: true } });
    fireEvent.click(within(grid()).getByRole('button', { name: 'Name' }));
    await vi.waitFor(() =>
      expect(within(grid()).getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('ascending'),
    );
    again({ live: live(1, 0), result: { ...read(countries, 1), isPlaceholderData: true } });
    expect(names()).toEqual(['Austria', 'Brazil', 'Chile']);
    again({ live: live(1, 0), result: read(rest, 2) });
    expect(names()).toEqual(['Brazil', 'Chile']);
  });

  it('leave the row that is being edited in its place, though the filter does not find it any more', () => {
    const cells = { useRow: () => () => undefined, isEdited: ({ id }: Country) => id === austria.id };
    const { again } = show({ live: live(0, 0), result: read(countries, 1), cells });
    fireEvent.pointerOver(rows()[2] as Element);
    again({ live: live(0, 1), result: read(rest, 2), cells });
    expect(names()).toEqual(['Austria', 'Brazil', 'Chile']);
    expect(screen.getByText('1–3 of 3')).toBeTruthy();
    expect(screen.getByRole('button', { name: /^1 edited row no longer fits/ })).toBeTruthy();
    again({ live: live(0, 2), result: read(rest.slice(1), 3), cells });
    expect(names()).toEqual(['Chile']);
  });

  it('wait again after an own change was read', () => {
    const again = looking();
    again({ live: live(0, 1), result: read(countries, 1) });
    again({ live: live(0, 1), result: read(countries, 2) });
    again({ live: live(1, 1), result: read(more, 3) });
    expect(names()).toEqual(['Austria', 'Brazil', 'Chile']);
  });
});

describe('holding rows', () => {
  const id = (row: Country) => String(row.id);
  it('counts what came, went and moved', () => {
    const [a, b, c] = countries as [Country, Country, Country];
    expect(hold([a, b], [b, c], id)).toEqual({ rows: [a, b], waiting: 2 });
    expect(hold([a, b], [b, a], id)).toEqual({ rows: [a, b], waiting: 1 });
    expect(hold([a, b], [a, b], id).waiting).toBe(0);
    expect(isStill([a, b], [a, b, c], 1, id)).toBe(true);
    expect(isStill([a, b], [a, c, b], 1, id)).toBe(false);
  });
});

describe('a list that the server answers whole', () => {
  function Whole() {
    const state = useListState({ pageSize: 2 });
    const result = usePagedLocally({ ...answered, data: countries }, state.params);
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
  const shown = (searchParams: string) => {
    render(
      <QueryClientProvider client={new QueryClient()}>
        <NuqsTestingAdapter searchParams={searchParams}>
          <Whole />
        </NuqsTestingAdapter>
      </QueryClientProvider>,
    );
    return names();
  };
  it('is cut into pages in the order it has', () => {
    expect(shown('')).toEqual(['Austria', 'Brazil']);
    cleanup();
    expect(shown('?page=2')).toEqual(['Chile']);
  });
});
