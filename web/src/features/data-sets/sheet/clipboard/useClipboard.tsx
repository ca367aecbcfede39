/** Copies and pastes cells of the sheet in the format of spreadsheet programs. */

import { INSTANCES_PER_COMMAND } from '@rdm/contracts/constants';
import { type ReactNode, type RefObject, useCallback, useRef, useState } from 'react';
import { formatNumber } from '../../../../lib/number-format.ts';
import { isTyping } from '../../../../lib/shortcuts/index.ts';
import type { CellField } from '../../components/cells.ts';
import type { Cursor } from '../cursor.ts';
import { type Box, type CellPosition, cellsIn } from '../ranges.ts';
import type { Grid } from '../sheet-grid.ts';
import { cellsText, type Step } from '../undo/history.ts';
import type { WithLoadedRows } from '../useRangeLoading.tsx';
import { PasteDialog } from './PasteDialog.tsx';
import { fieldColumns, headerOf, type PastePlan, type PastePlanResult, planPaste, tile } from './paste-plan.ts';
import { parseTsv, serializeHtml, serializeTsv } from './tsv.ts';

export interface ClipboardOptions {
  dataSetId: number;
  fields: readonly CellField[];
  cursor: Cursor;
  grid: RefObject<Grid | undefined>;
  readOnlyReason: string | undefined;
  textAt: (position: CellPosition, grid: Grid) => string;
  withLoadedRows: WithLoadedRows;
  clear: (box: Box, grid: Grid) => void;
  /** Writes one cell. */
  write: (position: CellPosition, text: string, grid: Grid) => void;
  /** Saves pending edits, because a paste is compared with the stored values. */
  save: () => Promise<void>;
  showMessage: (text: string | undefined) => void;
  onPasted: (step: Step) => void;
}

const EVENT_TYPES = ['copy', 'cut', 'paste'] as const;
const COPIED_CELLS_MAX = 200_000;

/** `contents` has the same content in several formats, by MIME type. */
const writeToClipboard = (contents: Readonly<Record<string, string>>): Promise<void> =>
  navigator.clipboard.write([
    new ClipboardItem(
      Object.fromEntries(Object.entries(contents).map(([type, text]) => [type, new Blob([text], { type })])),
    ),
  ]);

export function useClipboard(options: ClipboardOptions): {
  listen: () => () => void;
  pasteRows: (lines: string[][], field: number) => void;
  dialog: ReactNode;
} {
  const { dataSetId, fields, textAt, showMessage } = options;
  const [plannedPaste, setPlannedPaste] = useState<PastePlan>();

  function onClipboardEvent(event: ClipboardEvent): void {
    const grid = options.grid.current;
    const { box } = options.cursor;
    if (grid === undefined || box === undefined || event.clipboardData === null) return;
    event.preventDefault();
    if (event.type === 'paste') {
      showMessage(undefined);
      const problem = paste(event.clipboardData.getData('text/plain'), grid, box);
      if (problem !== undefined) showMessage(problem);
    } else if (cellsIn(box) > COPIED_CELLS_MAX)
      showMessage(`At most ${cellsText(COPIED_CELLS_MAX)} can be copied: export the rows instead`);
    else if (box.bottom - box.top >= INSTANCES_PER_COMMAND)
      showMessage(`At most ${formatNumber(INSTANCES_PER_COMMAND)} rows can be copied: export the rows instead`);
    else {
      const columns = fieldColumns(box, grid.columns, fields);
      if (columns.length === 0) {
        showMessage('Columns that the system maintains cannot be copied');
        return;
      }
      const { clipboardData, type } = event;
      let isEventActive = true;
      options.withLoadedRows(box, grid, (loadedGrid) => {
        const lines = textsIn(box, columns, (position) => textAt(position, loadedGrid));
        const text = serializeTsv(lines);
        const html = serializeHtml(lines);
        const onCopied = () => {
          showMessage(`${cellsText(lines.length * columns.length)} copied`);
          if (type === 'cut') options.clear(box, loadedGrid);
        };
        if (isEventActive) {
          clipboardData.setData('text/plain', text);
          clipboardData.setData('text/html', html);
          onCopied();
          return;
        }
        // If rows had to be loaded first, the copy event has ended, so the text is written with the clipboard API.
        writeToClipboard({ 'text/plain': text, 'text/html': html }).then(onCopied, () => {
          showMessage('The rows are loaded now: copy them again');
        });
      });
      isEventActive = false;
    }
  }
  const latestHandler = useRef(onClipboardEvent);
  latestHandler.current = onClipboardEvent;

  /** Listens on the document, because browsers dispatch paste events only there if the focus is not in a text field. */
  const listen = useCallback(() => {
    const unmounted = new AbortController();
    for (const type of EVENT_TYPES) {
      document.addEventListener(
        type,
        (event) => {
          const focused = document.activeElement;
          if (focused?.matches('[data-row]') && !isTyping(focused)) latestHandler.current(event);
        },
        { signal: unmounted.signal },
      );
    }
    return () => unmounted.abort();
  }, []);

  /**
   * Writes a single text, or opens the preview of a larger paste. Returns the reason of a refusal, except for
   * a paste that cannot be planned: `openPreview` shows this reason.
   */
  function paste(text: string, grid: Grid, selection: Box): string | undefined {
    if (options.readOnlyReason !== undefined) return options.readOnlyReason;
    const copiedCells = parseTsv(text);
    if (copiedCells.length === 0) return 'There is no text on the clipboard';
    const height = selection.bottom - selection.top + 1;
    if (height > INSTANCES_PER_COMMAND) {
      return `At most ${formatNumber(INSTANCES_PER_COMMAND)} lines are pasted at once: choose fewer rows`;
    }
    const matrix = tile(copiedCells, height, selection.right - selection.left + 1);
    const singleText = matrix.length === 1 && matrix[0]?.length === 1 ? matrix[0][0] : undefined;
    if (singleText !== undefined) {
      options.write({ row: selection.top, column: selection.left }, singleText, grid);
      return undefined;
    }
    const names = new Set(fields.map(({ name }) => name));
    const columns = grid.columns.slice(selection.left).map((id) => (names.has(id) ? id : undefined));
    const header = headerOf(matrix, fields);
    const plan = (rows: readonly number[]) => planPaste(matrix, fields, { columns, rows }, header);
    const loadedIds = idsFrom(selection.top, matrix.length, grid);
    const planned = plan(loadedIds);
    const bottom = Math.min(grid.count, selection.top + matrix.length) - 1;
    const dependsOnRows = !planned.ok || planned.plan.request.rows.some(({ id }) => id !== undefined);
    if (dependsOnRows && matrix.length <= INSTANCES_PER_COMMAND + 1 && loadedIds.length < bottom - selection.top + 1) {
      options.withLoadedRows({ top: selection.top, bottom }, grid, (loadedGrid) =>
        openPreview(plan(idsFrom(selection.top, matrix.length, loadedGrid))),
      );
    } else openPreview(planned);
    return undefined;
  }

  function openPreview(planned: PastePlanResult): void {
    if (planned.ok) void options.save().then(() => setPlannedPaste(planned.plan));
    else showMessage(planned.reason);
  }

  /** Pastes lines into the fields from the index `field` on. A line adds a row or changes the row with its key. */
  function pasteRows(lines: string[][], field: number): void {
    const columns = fields.slice(field).map(({ name }) => name);
    openPreview(planPaste(lines, fields, { columns, rows: [] }, headerOf(lines, fields)));
  }

  const dialog = plannedPaste !== undefined && (
    <PasteDialog
      dataSetId={dataSetId}
      plan={plannedPaste}
      fields={fields}
      onDone={options.onPasted}
      onClose={() => setPlannedPaste(undefined)}
    />
  );
  return { listen, pasteRows, dialog };
}

function textsIn(
  { top, bottom }: Box,
  columns: readonly number[],
  textAt: (position: CellPosition) => string,
): string[][] {
  const lines: string[][] = [];
  for (let row = top; row <= bottom; row++) lines.push(columns.map((column) => textAt({ row, column })));
  return lines;
}

/** The ids of at most `count` rows from the row `top` down, up to the first row that is not loaded. */
function idsFrom(top: number, count: number, grid: Grid): number[] {
  const ids: number[] = [];
  for (let row = top; row < Math.min(grid.count, top + count); row++) {
    const id = grid.rowAt(row)?.id;
    if (id === undefined) break;
    ids.push(id);
  }
  return ids;
}
