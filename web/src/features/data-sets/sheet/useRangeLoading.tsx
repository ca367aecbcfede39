/** Loads a range of rows before an action on it, if rows are missing. A dialog shows the progress and can cancel. */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { useRef, useState } from 'react';
import { ProgressBar, type RunningAction } from '../../../components/row-outcomes/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import type { Box } from './ranges.ts';
import type { Grid } from './sheet-grid.ts';

/** The maximum number of rows in a request, small enough to show progress. */
const ROWS_PER_READ = 500;

export type LoadRows = (from: number, to: number) => Promise<readonly InstanceView[]>;

type Rows = Pick<Box, 'top' | 'bottom'>;

const isLoaded = ({ top, bottom }: Rows, grid: Grid): boolean => {
  for (let row = top; row <= bottom; row++) if (grid.rowAt(row) === undefined) return false;
  return true;
};

/** Runs an action when all rows are loaded. A cancellation, a failure, a deleted row or a newer load prevents this. */
export type WithLoadedRows = (rows: Rows, grid: Grid, then: (grid: Grid) => void) => void;

export function useRangeLoading(load: LoadRows, showMessage: (text: string | undefined) => void) {
  const [progress, setProgress] = useState<RunningAction>();
  const loadingAbort = useRef<AbortController>(undefined);

  async function read({ top, bottom }: Rows, signal: AbortSignal): Promise<Map<number, InstanceView>> {
    const loadedRows = new Map<number, InstanceView>();
    const total = bottom - top + 1;
    for (let from = top; from <= bottom && !signal.aborted; from += ROWS_PER_READ) {
      setProgress({ done: from - top, total });
      const rows = await load(from, Math.min(bottom, from + ROWS_PER_READ - 1));
      rows.forEach((row, offset) => {
        loadedRows.set(from + offset, row);
      });
    }
    return loadedRows;
  }

  const withLoadedRows: WithLoadedRows = (rows, grid, then) => {
    if (isLoaded(rows, grid)) {
      then(grid);
      return;
    }
    const loading = new AbortController();
    loadingAbort.current?.abort();
    loadingAbort.current = loading;
    read(rows, loading.signal)
      .then((loadedRows) => {
        if (loading.signal.aborted) return;
        const loadedGrid = { ...grid, rowAt: (index: number) => loadedRows.get(index) ?? grid.rowAt(index) };
        if (isLoaded(rows, loadedGrid)) then(loadedGrid);
        else showMessage('Some of these rows were deleted: select the rows again');
      })
      .catch((error: unknown) => {
        if (!loading.signal.aborted)
          showMessage(`Nothing was done, because these rows could not be read: ${messageOf(error)}`);
      })
      .finally(() => {
        if (loadingAbort.current === loading) setProgress(undefined);
      });
  };

  function cancel(): void {
    loadingAbort.current?.abort();
    setProgress(undefined);
    showMessage('The action was cancelled');
  }

  const dialog = progress !== undefined && (
    <Dialog
      open
      onOpenChange={(open) => !open && cancel()}
      title="Reading the rows"
      description="The action starts when all rows are loaded."
      footer={<Button onClick={cancel}>Cancel</Button>}
    >
      <ProgressBar label="Rows read" {...progress} />
    </Dialog>
  );
  return { withLoadedRows, dialog };
}
