/**
 * The toolbar of a list: search, filter, display options, and the page's own actions. On a phone, one button opens
 * everything except the search.
 */
import type { FilterField } from '@rdm/contracts/lists/filter';
import { Download, FileText, Rows3, Search, SlidersHorizontal, X } from 'lucide-react';
import { memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { isShortcut, useWindowKey } from '../../lib/shortcuts/index.ts';
import type { ListState } from '../../lib/url-state/list-state.ts';
import { FilterBuilder } from '../filter-builder/index.tsx';
import { SavedFilters } from '../saved-filters/index.tsx';
import { Button } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import { Menu, MenuChoice, MenuItem, MenuLabel, MenuSeparator } from '../ui/dropdown-menu.tsx';
import { Input } from '../ui/input.tsx';
import { ColumnChooser } from './columns/column-chooser.tsx';
import { type Density, setDensity, useDensity } from './density.ts';
import type { GridColumn } from './types.ts';

const SEARCH_PAUSE_MS = 250;

export interface ToolbarProps<Row> {
  label: string;
  /** Key of the list for saved filters and filter configurations. */
  entity: string | undefined;
  state: ListState;
  columns: readonly GridColumn<Row>[];
  visible: ReadonlySet<string>;
  searchable: boolean;
  filterFields: readonly FilterField[];
  onExport: () => void;
  /** Menu items that export more than the displayed rows. */
  exports?: ReactNode;
  children?: ReactNode;
}

function Tools<Row>({
  label,
  entity,
  state,
  columns,
  visible,
  searchable,
  filterFields,
  onExport,
  exports,
  children,
}: ToolbarProps<Row>) {
  const [isOpen, setOpen] = useState(false);
  const isFiltered = state.filter !== undefined;
  return (
    <div data-screen-only className="flex flex-wrap items-center gap-2 pb-2">
      {searchable && <SearchField label={label} state={state} />}
      <Button
        size="icon"
        className={cn('ml-auto sm:hidden', isFiltered && 'border-accent text-accent')}
        aria-label={isFiltered ? 'List options, filtered' : 'List options'}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <SlidersHorizontal />
      </Button>
      <div className={cn('flex flex-wrap items-center gap-2 max-sm:w-full sm:flex-1', !isOpen && 'max-sm:hidden')}>
        {filterFields.length > 0 && (
          <FilterBuilder entity={entity} fields={filterFields} value={state.filter} onChange={state.setFilter} />
        )}
        {entity !== undefined && <SavedFilters entity={entity} state={state} />}
        <div className="ml-auto flex flex-wrap items-center gap-2 max-sm:ml-0">
          {children}
          <ViewControls state={state} columns={columns} visible={visible} onExport={onExport} exports={exports} />
        </div>
      </div>
    </div>
  );
}

/** Memoised, because most renders of a list change only its rows. */
export const Toolbar = memo(Tools) as typeof Tools;

function SearchField({ label, state }: { label: string; state: ListState }) {
  const urlSearch = state.params.q ?? '';
  const [text, setText] = useState(urlSearch);
  const [lastUrlSearch, setLastUrlSearch] = useState(urlSearch);
  if (lastUrlSearch !== urlSearch) {
    setLastUrlSearch(urlSearch);
    setText(urlSearch);
  }
  const field = useRef<HTMLInputElement>(null);
  const { setSearch } = state;

  useEffect(() => {
    if (text === urlSearch) return;
    const timer = setTimeout(() => setSearch(text), SEARCH_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, urlSearch, setSearch]);

  useWindowKey((event) => {
    if (event.key !== '/' || !isShortcut(event)) return;
    event.preventDefault();
    field.current?.focus();
  });

  return (
    <div className="relative min-w-0 max-sm:flex-1 sm:w-64">
      <Search aria-hidden="true" className="pointer-events-none absolute top-2 left-2 size-4 text-muted" />
      <Input
        ref={field}
        type="search"
        value={text}
        aria-label={`Search ${label.toLowerCase()}`}
        placeholder="Search"
        className="px-8 [&::-webkit-search-cancel-button]:hidden"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') setSearch(text);
          if (event.key === 'Escape') setText('');
        }}
      />
      {text !== '' && (
        <Button
          variant="ghost"
          size="icon-sm"
          className="absolute top-0.5 right-0.5"
          aria-label="Clear search"
          onClick={() => setText('')}
        >
          <X />
        </Button>
      )}
    </div>
  );
}

const DENSITY_OPTIONS: readonly { value: Density; label: string }[] = [
  { value: 'compact', label: 'Compact rows' },
  { value: 'normal', label: 'Normal rows' },
  { value: 'roomy', label: 'Tall rows' },
];

/** The buttons for the columns, the row height and the export. */
function ViewControls<Row>({
  state,
  columns,
  visible,
  onExport,
  exports,
}: Pick<ToolbarProps<Row>, 'state' | 'columns' | 'visible' | 'onExport' | 'exports'>) {
  const density = useDensity();
  return (
    <>
      <ColumnChooser state={state} columns={columns} visible={visible} />
      <Menu
        trigger={
          <Button variant="ghost" size="icon" aria-label="Row height">
            <Rows3 />
          </Button>
        }
      >
        <MenuChoice label="Row height" value={density} onValueChange={setDensity} options={DENSITY_OPTIONS} />
      </Menu>
      {exports === undefined ? (
        <Button
          variant="ghost"
          size="icon"
          aria-label="Export displayed rows as CSV"
          title="Export displayed rows as CSV"
          onClick={onExport}
        >
          <Download />
        </Button>
      ) : (
        <Menu
          trigger={
            <Button variant="ghost">
              <Download />
              Export
            </Button>
          }
        >
          {exports}
          <MenuSeparator />
          <MenuLabel>Displayed rows only</MenuLabel>
          <MenuItem onSelect={onExport}>
            <FileText />
            CSV
          </MenuItem>
        </Menu>
      )}
    </>
  );
}
