/** The menu that shows, hides and reorders columns; it has a search field if there are many columns. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, Columns3 } from 'lucide-react';
import { useId, useMemo, useRef, useState } from 'react';
import type { ListState } from '../../../lib/url-state/list-state.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Input } from '../../ui/input.tsx';
import { Popover } from '../../ui/popover.tsx';
import type { GridColumn } from '../types.ts';

/** From this number of columns on, the menu has a search field. */
const SEARCHED_FROM = 12;
/** From this number of columns on, only the visible part of the menu is rendered. */
const VIRTUAL_FROM = 60;
const ITEM_HEIGHT = 32;

export interface ColumnChooserProps<Row> {
  state: ListState;
  columns: readonly GridColumn<Row>[];
  /** The ids of the visible columns, in display order. */
  visible: ReadonlySet<string>;
}

export function ColumnChooser<Row>(props: ColumnChooserProps<Row>) {
  return (
    <Popover
      align="end"
      label="Columns"
      className="flex w-72 flex-col gap-2 overflow-hidden p-2"
      trigger={
        <Button variant="ghost" size="icon" aria-label="Choose columns" title="Choose columns">
          <Columns3 />
        </Button>
      }
    >
      <ColumnChoices {...props} />
    </Popover>
  );
}

function ColumnChoices<Row>({ state, columns, visible }: ColumnChooserProps<Row>) {
  const [searchText, setSearchText] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const ordered = useMemo(() => orderColumns(columns, visible), [columns, visible]);
  const matches = useMemo(() => {
    const text = searchText.trim().toLocaleLowerCase();
    return text === '' ? ordered : ordered.filter(({ header }) => header.toLocaleLowerCase().includes(text));
  }, [ordered, searchText]);
  const virtual = matches.length >= VIRTUAL_FROM;
  const virtualizer = useVirtualizer({
    count: matches.length,
    getScrollElement: () => list.current,
    estimateSize: () => ITEM_HEIGHT,
    overscan: 4,
    enabled: virtual,
  });
  const visibleIds = [...visible];

  function setVisible(changed: readonly GridColumn<Row>[], isVisible: boolean) {
    const ids = new Set(changed.filter(({ required }) => !required).map(({ id }) => id));
    const remaining = visibleIds.filter((id) => isVisible || !ids.has(id));
    const added = isVisible ? columns.map(({ id }) => id).filter((id) => ids.has(id) && !visible.has(id)) : [];
    state.setColumns(added.reduce<readonly string[]>((all, id) => withColumn(all, id, columns), remaining));
  }

  /** The first column cannot be moved, because it identifies the row. */
  function move(id: string, by: 1 | -1) {
    const from = visibleIds.indexOf(id);
    const to = from + by;
    if (from < 1 || to < 1 || to >= visibleIds.length) return;
    const next = visibleIds.filter((other) => other !== id);
    next.splice(to, 0, id);
    state.setColumns(next);
  }

  const item = (column: GridColumn<Row>) => {
    const index = visibleIds.indexOf(column.id);
    return (
      <Item
        key={column.id}
        header={column.header}
        checked={visible.has(column.id)}
        fixed={column.required ?? false}
        onChecked={(checked) => setVisible([column], checked)}
        onUp={searchText === '' && index > 1 ? () => move(column.id, -1) : undefined}
        onDown={searchText === '' && index >= 1 && index < visibleIds.length - 1 ? () => move(column.id, 1) : undefined}
      />
    );
  };

  return (
    <>
      {columns.length >= SEARCHED_FROM && (
        <>
          <Input
            type="search"
            value={searchText}
            aria-label="Search columns"
            placeholder="Search columns"
            onChange={(event) => setSearchText(event.target.value)}
          />
          <div className="flex items-center gap-1 text-muted text-xs">
            <p role="status" className="mr-auto pl-1">
              {searchText === '' ? `${visible.size} of ${columns.length} shown` : `${matches.length} found`}
            </p>
            <Button variant="ghost" size="sm" disabled={matches.length === 0} onClick={() => setVisible(matches, true)}>
              Show {searchText === '' ? 'all' : 'these'}
            </Button>
            <Button
              variant="ghost"
              size="sm"
              disabled={matches.length === 0}
              onClick={() => setVisible(matches, false)}
            >
              Hide {searchText === '' ? 'all' : 'these'}
            </Button>
          </div>
        </>
      )}
      <ul ref={list} aria-label="Columns" className="max-h-80 min-h-0 overflow-y-auto">
        {matches.length === 0 && <li className="px-1 py-2 text-muted">No matching columns.</li>}
        {virtual ? (
          <>
            <li aria-hidden="true" style={{ height: virtualizer.getVirtualItems()[0]?.start ?? 0 }} />
            {virtualizer.getVirtualItems().map(({ index }) => {
              const column = matches[index];
              return column === undefined ? null : item(column);
            })}
            <li
              aria-hidden="true"
              style={{ height: virtualizer.getTotalSize() - (virtualizer.getVirtualItems().at(-1)?.end ?? 0) }}
            />
          </>
        ) : (
          matches.map(item)
        )}
      </ul>
      <div className="border-hairline border-t pt-2">
        <Button
          variant="ghost"
          size="sm"
          disabled={state.columns === undefined}
          onClick={() => state.setColumns(undefined)}
        >
          Reset columns
        </Button>
      </div>
    </>
  );
}

interface ItemProps {
  header: string;
  checked: boolean;
  fixed: boolean;
  onChecked: (checked: boolean) => void;
  onUp: (() => void) | undefined;
  onDown: (() => void) | undefined;
}

function Item({ header, checked, fixed, onChecked, onUp, onDown }: ItemProps) {
  const id = useId();
  return (
    <li className="flex items-center gap-2 rounded-sm px-1 hover:bg-hover" style={{ height: ITEM_HEIGHT }}>
      <Checkbox id={id} checked={checked} disabled={fixed} onCheckedChange={(to) => onChecked(to === true)} />
      <label htmlFor={id} className="min-w-0 flex-1 truncate" title={header}>
        {header}
      </label>
      {checked && (
        <span className="flex">
          <Button
            variant="ghost"
            size="icon-sm"
            aria-label={`Move ${header} to the left`}
            disabled={onUp === undefined}
            onClick={onUp}
          >
            <ArrowUp />
          </Button>
          <Button
            variant="ghost"
            size="icon-sm"
            aria-label={`Move ${header} to the right`}
            disabled={onDown === undefined}
            onClick={onDown}
          >
            <ArrowDown />
          </Button>
        </span>
      )}
    </li>
  );
}

/** Returns the visible columns in their order, with each hidden column after its predecessor in the default order. */
function orderColumns<Row>(
  columns: readonly GridColumn<Row>[],
  visible: ReadonlySet<string>,
): readonly GridColumn<Row>[] {
  const ids = columns
    .map(({ id }) => id)
    .filter((id) => !visible.has(id))
    .reduce<readonly string[]>((all, id) => withColumn(all, id, columns), [...visible]);
  const byId = new Map(columns.map((column) => [column.id, column]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Inserts a column after its nearest predecessor in the default order; at the front if `ids` has no predecessor. */
function withColumn<Row>(ids: readonly string[], id: string, columns: readonly GridColumn<Row>[]): readonly string[] {
  const columnIndex = columns.findIndex((column) => column.id === id);
  const before = columns.slice(0, columnIndex).findLast((column) => ids.includes(column.id))?.id;
  const at = before === undefined ? 0 : ids.indexOf(before) + 1;
  return [...ids.slice(0, at), id, ...ids.slice(at)];
}
