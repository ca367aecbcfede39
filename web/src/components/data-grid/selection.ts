/** The selected rows: chosen one by one across pages, or all that match the filter. */
import { useEffect, useMemo, useState } from 'react';
import type { FrozenSelection, Selection } from './types.ts';

export interface SelectionState<Row> {
  selection: Selection<Row>;
  has: (id: string) => boolean;
  /** Whether no row is selected individually. */
  isEmpty: boolean;
  toggle: (rows: readonly Row[], selected?: boolean) => void;
  freeze: (frozen: FrozenSelection) => void;
}

/**
 * A selection belongs to one filter and search: it is cleared when they change. `onChange` is called with each new selection.
 */
export function useSelection<Row>(
  scope: string,
  idOf: (row: Row) => string,
  onChange?: (selection: Selection<Row>) => void,
): SelectionState<Row> {
  const [state, setState] = useState<{
    scope: string;
    chosen: ReadonlyMap<string, Row>;
    frozen: FrozenSelection | undefined;
  }>({
    scope,
    chosen: new Map(),
    frozen: undefined,
  });
  const fresh = useMemo(() => ({ scope, chosen: new Map<string, Row>(), frozen: undefined }), [scope]);
  if (state.scope !== scope) setState(fresh);

  const { chosen, frozen } = state.scope === scope ? state : fresh;
  const selection = useMemo(
    () => ({
      rows: [...chosen.values()],
      selectionId: frozen?.selectionId,
      count: frozen?.count ?? chosen.size,
      clear: () => setState(fresh),
    }),
    [chosen, frozen, fresh],
  );
  useEffect(() => onChange?.(selection), [onChange, selection]);

  return {
    selection,
    has: (id) => chosen.has(id),
    isEmpty: chosen.size === 0,
    toggle(rows, selected) {
      // Changes the newest selection, because the user may have changed it while the rows were loaded.
      setState((known) => {
        const next = new Map(known.scope === scope ? known.chosen : []);
        for (const row of rows) {
          const id = idOf(row);
          if (selected ?? !next.has(id)) next.set(id, row);
          else next.delete(id);
        }
        return { scope, chosen: next, frozen: undefined };
      });
    },
    freeze: (answer) => setState({ scope, chosen, frozen: answer }),
  };
}
