/** The column widths that the user has set, stored in the browser for each list. */
import { useCallback, useState } from 'react';

const COLUMN_WIDTH_MIN = 48;
const COLUMN_WIDTH_MAX = 1_200;

export type ColumnWidths = Readonly<Record<string, number>>;

export interface StoredWidths {
  widths: ColumnWidths;
  /** A width of undefined restores the default width. */
  setWidth: (columnId: string, width: number | undefined) => void;
}

function storedWidths(key: string): ColumnWidths {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    if (typeof stored !== 'object' || stored === null) return {};
    return Object.fromEntries(Object.entries(stored).filter(([, width]) => typeof width === 'number'));
  } catch {
    // Uses the default widths if the stored value is invalid.
    return {};
  }
}

export function useColumnWidths(list: string): StoredWidths {
  const key = `column-widths ${list}`;
  const [state, setState] = useState(() => ({ key, widths: storedWidths(key) }));
  if (state.key !== key) setState({ key, widths: storedWidths(key) });

  const setWidth = useCallback(
    (columnId: string, width: number | undefined) =>
      setState(({ widths }) => {
        const { [columnId]: _, ...others } = widths;
        const next =
          width === undefined
            ? others
            : { ...others, [columnId]: Math.round(Math.min(COLUMN_WIDTH_MAX, Math.max(COLUMN_WIDTH_MIN, width))) };
        if (Object.keys(next).length === 0) localStorage.removeItem(key);
        else localStorage.setItem(key, JSON.stringify(next));
        return { key, widths: next };
      }),
    [key],
  );
  return { widths: state.widths, setWidth };
}
