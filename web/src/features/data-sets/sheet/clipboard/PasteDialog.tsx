/** Shows the preview of a paste, writes the rows in chunks, and reports the result for each row. */
import { PASTE_OUTCOMES, type PastedRow, type PasteOutcome } from '@rdm/contracts/data-sets/instance-paste';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { valueText } from '../../../../components/diff/index.tsx';
import { ErrorState } from '../../../../components/empty-state/index.tsx';
import { Alert } from '../../../../components/ui/alert.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { Dialog } from '../../../../components/ui/dialog.tsx';
import { Skeleton } from '../../../../components/ui/skeleton.tsx';
import { Tabs } from '../../../../components/ui/tabs.tsx';
import { formatNumber, rowsText } from '../../../../lib/number-format.ts';
import { dataSetKey } from '../../api/data-sets.ts';
import { instancesKey, previewPaste, reloadInstances } from '../../api/instances.ts';
import { blanksWarning, type CellField, keyWarning } from '../../components/cells.ts';
import { chunksOf } from '../row-writes.ts';
import type { Step } from '../undo/history.ts';
import { RowWritesResult, useRowWrites } from '../useRowWrites.tsx';
import type { PastePlan } from './paste-plan.ts';

const SHOWN_ROWS = 100;
const LABELS: Record<PasteOutcome, string> = {
  new: 'New',
  changed: 'Changed',
  unchanged: 'Unchanged',
  invalid: 'Invalid',
};

export interface PasteDialogProps {
  dataSetId: number;
  plan: PastePlan;
  fields: readonly CellField[];
  onDone: (step: Step) => void;
  onClose: () => void;
}

export function PasteDialog({ dataSetId, plan, fields, onDone, onClose }: PasteDialogProps) {
  const queries = useQueryClient();
  const preview = useQuery({
    queryKey: [...instancesKey(dataSetId), 'paste', plan.request],
    queryFn: () => previewPaste(dataSetId, plan.request),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const [tab, setTab] = useState<PasteOutcome>();
  const writing = useRowWrites(dataSetId, (step) => {
    onDone({ ...step, text: `${rowsText(step.cells.length + step.added.length)} pasted` });
    void reloadInstances(queries, dataSetId);
    void queries.invalidateQueries({ queryKey: dataSetKey(dataSetId) });
  });

  const { data } = preview;
  const results = data?.results ?? [];
  const rowsToWrite = results.filter(({ outcome }) => outcome === 'new' || outcome === 'changed');
  const rowsWithBlanks = results.filter((row) => row.outcome === 'new' && keyWarning(fields, row.data) !== undefined);
  const shownOutcome = tab ?? PASTE_OUTCOMES.find((outcome) => (data?.counts[outcome] ?? 0) > 0) ?? 'new';
  const rowsOfOutcome = results.filter(({ outcome }) => outcome === shownOutcome);

  if (writing.state !== undefined) {
    return <RowWritesResult doing="Pasting…" done="Pasted" writing={writing} onClose={onClose} />;
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Paste ${rowsText(plan.request.rows.length)}`}
      description="A preview: nothing is written before you confirm."
      className="xl:w-[60%]"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={rowsToWrite.length === 0}
            onClick={() => void writing.start(chunksOf(rowsToWrite), rowsToWrite.length)}
          >
            {rowsToWrite.length === 0 ? 'Nothing to paste' : `Paste ${rowsText(rowsToWrite.length)}`}
          </Button>
        </>
      }
    >
      {preview.error !== null ? (
        <ErrorState
          title="The preview could not be loaded"
          error={preview.error}
          onRetry={() => void preview.refetch()}
        />
      ) : data === undefined ? (
        <div role="status" aria-label="Loading..." className="flex flex-col gap-3">
          <Skeleton className="w-2/3" />
          <Skeleton className="w-1/2" />
        </div>
      ) : (
        <>
          {plan.omissions.map((text) => (
            <Alert key={text} tone="warning" className="mb-3">
              {text}
            </Alert>
          ))}
          {data.counts.invalid > 0 && (
            <Alert tone="warning" className="mb-3">
              {rowsText(data.counts.invalid)} cannot be written and will be omitted: the tab “Invalid” shows the problem
              of each cell.
            </Alert>
          )}
          {rowsWithBlanks.length > 0 && (
            <Alert tone="warning" className="mb-3">
              {rowsWithBlanks.length === 1 ? '1 new row has' : `${formatNumber(rowsWithBlanks.length)} new rows have`}{' '}
              blanks around the key. The blanks are stored: a key without them is a different key.
            </Alert>
          )}
          <Tabs
            label="Rows by outcome"
            value={shownOutcome}
            onValueChange={setTab}
            tabs={PASTE_OUTCOMES.map((outcome) => ({
              value: outcome,
              label: LABELS[outcome],
              count: formatNumber(data.counts[outcome]),
            }))}
          >
            {rowsOfOutcome.length === 0 ? (
              <p className="text-muted text-sm">No rows.</p>
            ) : (
              <PastedRows
                rows={rowsOfOutcome}
                lines={plan.lines}
                fields={plan.request.fields}
                keyNames={fields.flatMap(({ name, isPrimaryKey }) => (isPrimaryKey ? [name] : []))}
                requestRows={plan.request.rows}
              />
            )}
          </Tabs>
        </>
      )}
    </Dialog>
  );
}

interface PastedRowsProps {
  rows: readonly PastedRow[];
  lines: readonly number[];
  fields: readonly string[];
  keyNames: readonly string[];
  requestRows: PastePlan['request']['rows'];
}

function PastedRows({ rows, lines, fields, keyNames, requestRows }: PastedRowsProps) {
  // A paste without the complete key changes existing rows, so a column shows their keys.
  const isKeyPasted = keyNames.every((name) => fields.includes(name));
  return (
    <>
      <div className="overflow-x-auto rounded-md border border-hairline">
        <table className="w-full border-separate border-spacing-0 text-left text-sm">
          <thead className="text-muted text-xs">
            <tr>
              <th scope="col" className="border-hairline border-b bg-canvas px-2 py-1 font-medium">
                Line
              </th>
              {!isKeyPasted && (
                <th scope="col" className="border-hairline border-b bg-canvas px-2 py-1 font-medium">
                  Row
                </th>
              )}
              {fields.map((field) => (
                <th key={field} scope="col" className="border-hairline border-b bg-canvas px-2 py-1 font-medium">
                  {field}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, SHOWN_ROWS).map((row) => (
              <tr key={row.index} className="align-top">
                <td className="border-hairline border-b px-2 py-1 text-muted tabular-nums">{lines[row.index]}</td>
                {!isKeyPasted && (
                  <td className="max-w-64 truncate whitespace-pre border-hairline border-b px-2 py-1 font-mono">
                    {row.key}
                  </td>
                )}
                {fields.map((field, index) => (
                  <td key={field} className="max-w-64 border-hairline border-b px-2 py-1">
                    <PastedCell
                      row={row}
                      field={field}
                      text={requestRows[row.index]?.cells[index] ?? ''}
                      warning={
                        row.outcome === 'new' && keyNames.includes(field) ? blanksWarning(row.data[field]) : undefined
                      }
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > SHOWN_ROWS && (
        <p className="mt-2 text-muted text-xs">and {formatNumber(rows.length - SHOWN_ROWS)} more</p>
      )}
    </>
  );
}

/** Shows the pasted text, the old value of a changed cell, and a problem or warning. */
function PastedCell({
  row,
  field,
  text,
  warning,
}: {
  row: PastedRow;
  field: string;
  text: string;
  warning: string | undefined;
}) {
  const problem = row.problems[field];
  const isChanged = row.outcome === 'changed' && field in row.data;
  return (
    <span className="block truncate whitespace-pre font-mono" title={text}>
      {isChanged && (
        <del className="block truncate text-danger-text no-underline">
          <span aria-hidden="true">− </span>
          <span className="sr-only">before: </span>
          {valueText(row.before[field])}
        </del>
      )}
      <span className={isChanged || row.outcome === 'new' ? 'text-added' : problem === undefined ? 'text-muted' : ''}>
        {(isChanged || row.outcome === 'new') && <span aria-hidden="true">+ </span>}
        {text === '' ? '—' : text}
      </span>
      {problem !== undefined && (
        <span className="block whitespace-normal font-sans text-danger-text text-xs">{problem}</span>
      )}
      {warning !== undefined && (
        <span className="block whitespace-pre-wrap font-sans text-pending-text text-xs">{warning}</span>
      )}
    </span>
  );
}
