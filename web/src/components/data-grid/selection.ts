/** The selection of a list: rows selected individually across pages, or all rows that match the filter. */
import { useEffect, useMemo, useState } from 'react';
import type { FrozenSelection, Selection } from './types.ts';

export interface SelectionState<Row> {
  selection: Selection<Row>;
  /** Whether the row is selected individually. */
  has: (id: string) => boolean;
  /** Whether no row is selected individually. */
  isEmpty: boolean;
  /** Selects or deselects the rows, and ends a frozen selection. Toggles each row if `selected` is omitted. */
  toggle: (rows: readonly Row[], selected?: boolean) => void;
  /** Selects all rows that match the filter, as frozen by the server. */
  freeze: (frozen: FrozenSelection) => void;
}

/**
 * `scope` identifies the search, the filter and the part of the list: a new scope clears the selection. `onChange` is
 * called with each new selection.
 */
export function useSelection<Row>(
  scope: string,
  idOf: (row: Row) => string,
  onChange?: (selection: Selection<Row>) => void,
): SelectionState<Row> {
  const [state, setState] = useState<{
    scope: string;
    selectedRows: ReadonlyMap<string, Row>;
    frozen: FrozenSelection | undefined;
  }>({
    scope,
    selectedRows: new Map(),
    frozen: undefined,
  });
  const emptyState = useMemo(() => ({ scope, selectedRows: new Map<string, Row>(), frozen: undefined }), [scope]);
  if (state.scope !== scope) setState(emptyState);

  const { selectedRows, frozen } = state.scope === scope ? state : emptyState;
  const selection = useMemo(
    () => ({
      rows: [...selectedRows.values()],
      selectionId: frozen?.selectionId,
      count: frozen?.count ?? selectedRows.size,
      clear: () => setState(emptyState),
    }),
    [selectedRows, frozen, emptyState],
  );
  useEffect(() => onChange?.(selection), [onChange, selection]);

  return {
    selection,
    has: (id) => selectedRows.has(id),
    isEmpty: selectedRows.size === 0,
    toggle(rows, selected) {
      // Use the current state, because the user may change the selection while the rows are loaded.
      setState((current) => {
        const next = new Map(current.scope === scope ? current.selectedRows : []);
        for (const row of rows) {
          const id = idOf(row);
          if (selected ?? !next.has(id)) next.set(id, row);
          else next.delete(id);
        }
        return { scope, selectedRows: next, frozen: undefined };
      });
    },
    freeze: (newFrozen) => setState({ scope, selectedRows, frozen: newFrozen }),
  };
}
