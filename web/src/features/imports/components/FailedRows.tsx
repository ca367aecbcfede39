/** The failed rows of an import: line, column, value, the broken rule, and how to fix the row. */

import type { JobLogView, RowFlaw } from '@rdm/contracts/jobs/jobs';
import { JOB_LOG_FIELDS } from '@rdm/contracts/jobs/list-fields';
import { string } from '@rdm/contracts/lists/list-field';
import { useQuery } from '@tanstack/react-query';
import { FileDown } from 'lucide-react';
import { useState } from 'react';
import { columnsOf, DataGrid, muted } from '../../../components/data-grid/index.ts';
import { valueText } from '../../../components/diff/index.tsx';
import { FileLink } from '../../../components/exports/index.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Drawer } from '../../../components/ui/drawer.tsx';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { errorFileUrl, failedRowsQuery } from '../api/jobs.ts';

/** The list shows the first problem of a row. The drawer shows all problems. */
const firstFlaw = (row: JobLogView): RowFlaw | undefined => row.errorDetails?.[0];

const FIELDS = {
  recordIndex: JOB_LOG_FIELDS.recordIndex,
  errorType: string('Error', 'Kind'),
  errorMessage: JOB_LOG_FIELDS.errorMessage,
};
const { custom, number, text } = columnsOf<JobLogView>(FIELDS);

const ruleText = (row: JobLogView) => firstFlaw(row)?.rule ?? row.errorMessage ?? row.message;

const COLUMNS = [
  number('recordIndex', { required: true, width: 76 }),
  custom('column', {
    header: 'Column',
    cell: (row) => firstFlaw(row)?.column ?? muted('Whole row'),
    value: (row) => firstFlaw(row)?.column ?? '',
    width: 130,
  }),
  custom('value', {
    header: 'Value',
    cell: (row) => {
      const value = firstFlaw(row)?.value;
      return (
        <span className="whitespace-pre font-mono" title={value ?? undefined}>
          {valueText(value)}
        </span>
      );
    },
    value: (row) => firstFlaw(row)?.value ?? '',
    width: 150,
  }),
  custom('rule', {
    header: 'Rule',
    cell: (row) => {
      const otherCount = (row.errorDetails?.length ?? 1) - 1;
      return (
        <>
          {ruleText(row)}
          {otherCount > 0 && <Badge className="ml-2">+{otherCount} more</Badge>}
        </>
      );
    },
    value: ruleText,
    required: true,
    minWidth: 220,
    wrap: true,
  }),
  custom('fix', {
    header: 'How to fix it',
    cell: (row) => firstFlaw(row)?.fix,
    value: (row) => firstFlaw(row)?.fix ?? '',
    minWidth: 240,
    wrap: true,
  }),
  text('errorType', {
    cell: ({ errorType }) => <span className="font-mono text-xs">{errorType}</span>,
    hidden: true,
    width: 170,
  }),
];

const FILTERS = filterFields(FIELDS);

const rowId = (row: JobLogView) => row.id;

export function FailedRows({ jobId }: { jobId: number }) {
  const state = useListState({ sort: 'recordIndex', prefix: 'failed-' });
  const result = useQuery(failedRowsQuery(jobId, state.params));
  const [openedRow, setOpenedRow] = useState<JobLogView>();
  return (
    <section aria-labelledby="failed-rows" className="flex min-h-96 flex-1 flex-col">
      <h3 id="failed-rows" className="mb-2 font-semibold text-base">
        Rows that failed
      </h3>
      <DataGrid
        label="Rows that failed"
        state={state}
        result={result}
        columns={COLUMNS}
        rowId={rowId}
        rowActions={(row) => [{ label: 'Show the whole row', onSelect: () => setOpenedRow(row) }]}
        onOpen={setOpenedRow}
        filterFields={FILTERS}
        actions={
          <Button asChild>
            <FileLink href={errorFileUrl(jobId)}>
              <FileDown />
              Download error file
            </FileLink>
          </Button>
        }
        empty={{ title: 'No row failed' }}
      />
      {openedRow !== undefined && (
        <Drawer
          open
          onOpenChange={(open) => !open && setOpenedRow(undefined)}
          title={`Line ${openedRow.recordIndex ?? '–'}`}
          description="The row as it was in the file, and all its problems."
        >
          <ul className="mb-4 divide-y divide-hairline border-hairline border-y">
            {(openedRow.errorDetails ?? []).map((flaw) => (
              <li key={`${flaw.column} ${flaw.rule}`} className="py-2">
                <p className="font-medium">
                  {flaw.column ?? 'Whole row'}
                  {flaw.value !== null && flaw.value !== '' && (
                    <span className="ml-2 whitespace-pre font-mono font-normal">{flaw.value}</span>
                  )}
                </p>
                <p className="text-danger-text">{flaw.rule}</p>
                <p className="text-muted">{flaw.fix}</p>
              </li>
            ))}
          </ul>
          <dl className="grid grid-cols-[minmax(6rem,10rem)_1fr] gap-x-3 gap-y-1.5">
            {Object.entries(openedRow.recordData ?? {}).map(([column, value]) => (
              <div key={column} className="contents">
                <dt className="truncate text-muted">{column}</dt>
                <dd className="min-w-0 break-words font-mono">{valueText(value)}</dd>
              </div>
            ))}
          </dl>
        </Drawer>
      )}
    </section>
  );
}
