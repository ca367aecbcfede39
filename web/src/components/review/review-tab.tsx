/**
 * One tab of rows under review: the grid with the actions and shortcuts of their status, the editor and the history.
 */
import { parseAsInteger, useQueryState } from 'nuqs';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { useRowKeys } from '../../lib/shortcuts/row-keys.ts';
import { DataGrid, type DataGridProps, type ListResult } from '../data-grid/index.ts';
import { NamesOf } from '../people/index.tsx';
import { Alert } from '../ui/alert.tsx';
import { type TabActionsOptions, tabActions } from './actions.ts';
import type { VersionedRow } from './commands.ts';
import { EDIT_PARAM, type ReviewedItem, rowsLink } from './links.ts';
import { type Review, rowVersion } from './use-review.tsx';

export interface ReviewedRow extends VersionedRow {
  /** The approved version; null if there is none. */
  served: object | null;
  createdBy: number | null;
  updatedBy: number | null;
  submittedBy: number | null;
  approvedBy: number | null;
  rejectedBy: number | null;
}

/** Receives the saved draft, and whether the user wants to submit it immediately. */
export type OnSaved<Row> = (row: Row, submits: boolean) => void;

const rowId = (row: VersionedRow) => row.id;

/** Returns the rows of a list without the rows that were processed since the list was loaded. */
export function useRemainingRows<Row extends VersionedRow>(
  listed: readonly Row[] | undefined,
  { hiddenRows }: Review<Row>,
): readonly Row[] {
  return useMemo(() => (listed ?? []).filter((row) => !hiddenRows.has(rowVersion(row))), [listed, hiddenRows]);
}

/** Links to a saved row that is no longer in the list, because its new status belongs to another tab. */
function SavedRow({ label, item, isSubmitted }: { label: string; item: ReviewedItem; isSubmitted: boolean }) {
  return (
    <Alert tone="success" className="mb-2">
      {isSubmitted ? 'Submitted for approval' : 'Saved as a draft'}: <span className="font-mono">{label}</span>.
      {isSubmitted ? '' : ' The draft takes effect once it is submitted and approved.'}{' '}
      <Link className="font-medium underline" to={rowsLink(item, isSubmitted ? 'pending' : 'draft', [item.id])}>
        {isSubmitted ? 'Show the submission' : 'Show the draft'}
      </Link>
    </Alert>
  );
}

export interface ReviewTabProps<Row extends ReviewedRow> {
  /** The list as it was last read. */
  result: ListResult<Row>;
  rows: readonly Row[];
  grid: Omit<DataGridProps<Row>, 'result' | 'rowId' | 'rowActions' | 'bulkActions' | 'onOpen'>;
  review: Review<Row>;
  actions: Omit<TabActionsOptions<Row>, 'review' | 'isServed' | 'onEdit' | 'onHistory'>;
  /** The keyboard shortcuts, shown below the list. */
  hint: string | undefined;
  editor: (row: Row, onClose: () => void, onSaved: OnSaved<Row>) => ReactNode;
  labelOf: (row: Row) => string;
  itemOf: (row: Row) => ReviewedItem;
  /** Renders the history of a row; `onRestore` is undefined if the user may not restore the row. */
  history: (row: Row, onRestore: (() => void) | undefined, onClose: () => void) => ReactNode;
}

export function ReviewTab<Row extends ReviewedRow>(props: ReviewTabProps<Row>) {
  const { result, rows, review } = props;
  const area = useRef<HTMLDivElement>(null);
  const [editing, setEditing] = useState<Row>();
  const [historyRow, setHistoryRow] = useState<Row>();
  const [saved, setSaved] = useState<{ row: Row; isSubmitted: boolean }>();
  const [linkedId, setLinkedId] = useQueryState(EDIT_PARAM, parseAsInteger);
  /** The row whose editor a link opened. The filter of the link lists only this row. */
  const [linkedRow, setLinkedRow] = useState<Row>();
  const data = useMemo(
    () => (result.data === undefined ? undefined : { ...result.data, items: [...rows] }),
    [result.data, rows],
  );
  const actions = tabActions<Row>({
    ...props.actions,
    review,
    isServed: ({ served }) => served !== null,
    onEdit: setEditing,
    onHistory: setHistoryRow,
  });
  useRowKeys(area, (letter, rowKey, shift) => {
    const row = rows.find(({ id }) => String(id) === rowKey);
    return row !== undefined && actions.onLetter(letter, row, shift);
  });

  const { refusalOf } = props.actions;
  useEffect(() => {
    const row = rows.find(({ id }) => id === linkedId);
    if (row === undefined) return;
    void setLinkedId(null);
    if (refusalOf('edit', row) !== undefined) return;
    setLinkedRow(row);
    setEditing(row);
  }, [rows, linkedId, setLinkedId, refusalOf]);

  function handleSaved(row: Row, submits: boolean) {
    const isLinked = row.id === linkedRow?.id;
    // The saved row leaves the list, and the filter of the link matches no other row.
    if (isLinked) props.grid.state.clear();
    setSaved({ row, isSubmitted: false });
    if (submits)
      review.openDialog('submit', {
        rows: [row],
        selectionId: undefined,
        count: 1,
        clear: () => setSaved(isLinked ? { row, isSubmitted: true } : undefined),
      });
  }
  const closeHistory = () => setHistoryRow(undefined);
  const restore = (row: Row) => () => {
    closeHistory();
    void review.applyToRow('restore', row);
  };

  return (
    <div ref={area} className="flex min-h-0 flex-1 flex-col">
      <NamesOf
        ids={rows.flatMap((row) => [row.createdBy, row.updatedBy, row.submittedBy, row.approvedBy, row.rejectedBy])}
      >
        {saved !== undefined && !rows.some(({ id }) => id === saved.row.id) && (
          <SavedRow label={props.labelOf(saved.row)} item={props.itemOf(saved.row)} isSubmitted={saved.isSubmitted} />
        )}
        <DataGrid
          {...props.grid}
          result={{ ...result, data }}
          rowId={rowId}
          rowActions={actions.actionsOf}
          bulkActions={actions.bulk}
          onOpen={setHistoryRow}
          hint={props.hint}
        />
      </NamesOf>
      {review.dialogs}
      {editing !== undefined && props.editor(editing, () => setEditing(undefined), handleSaved)}
      {historyRow !== undefined &&
        props.history(historyRow, props.actions.mayWrite(historyRow) ? restore(historyRow) : undefined, closeHistory)}
    </div>
  );
}
