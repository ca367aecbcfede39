/** Shows the translated rows: the number of rows by status, a list of the rows, and their export. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { FileText, Square } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { columnsOf, DataGrid, exportCsv, useLocalPaging } from '../../../components/data-grid/index.ts';
import { Figures } from '../../../components/page/index.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { MenuItem, MenuLabel } from '../../../components/ui/dropdown-menu.tsx';
import { Progress } from '../../../components/ui/progress.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { useIsMobile } from '../../../lib/media/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { type ApiTest, apiTestQuery, changeApiTest } from '../api/state.ts';
import { completeText, ROW_STATUSES, type RowStatus, type TransformedRow } from './rows.ts';
import { stopTest } from './run.ts';
import { STATUS_WORDS, StatusOfRow } from './StatusOfRow.tsx';

const numberOf = (row: TransformedRow) => row.number;

const { custom, text, count } = columnsOf<TransformedRow>();

const NUMBER = count('number', { header: 'Row', width: 80 });

const TRANSLATION = custom('translation', {
  header: 'Translation',
  cell: ({ targets }) =>
    targets.length > 1 ? (
      <span className="flex gap-1">
        {targets.map((target, index) => (
          <Badge key={index} className="font-mono">
            {target}
          </Badge>
        ))}
      </span>
    ) : (
      targets[0]
    ),
  value: ({ targets }) => targets.join(' | '),
  code: true,
  required: true,
  minWidth: 160,
});

const TRANSFORMED = [
  TRANSLATION,
  text('status', {
    header: 'Status',
    cell: ({ status }) => <StatusOfRow status={status} />,
    value: ({ status }) => STATUS_WORDS[status],
    required: true,
    width: 120,
  }),
  text('detail', { header: 'Detail', wrap: true, width: 280 }),
];

/** On a phone, the status and its reason are below the translation, because their own columns would be out of sight. */
const NARROW_TRANSFORMED = [
  {
    ...TRANSLATION,
    cell: (row: TransformedRow) => (
      <>
        {TRANSLATION.cell(row)}
        <StatusOfRow status={row.status} />
        {row.detail !== '' && <span className="font-sans text-muted">{row.detail}</span>}
      </>
    ),
    wrap: true,
  },
  ...TRANSFORMED.slice(1).map((column) => ({ ...column, required: false, hidden: true })),
];

const csvColumn = (header: string, index: number) => {
  const cell = ({ cells }: TransformedRow) => cells[index] ?? '';
  return custom(`csv-${index}`, { header, cell, value: cell, code: true, minWidth: 120 });
};

function countStatuses(rows: readonly TransformedRow[]): Record<RowStatus, number> {
  const counts = { MAPPED: 0, FALLBACK: 0, UNMAPPED: 0, FAILED: 0, WAITING: 0 };
  for (const { status } of rows) counts[status] += 1;
  return counts;
}

export interface ResultsProps {
  test: ApiTest;
  rows: readonly TransformedRow[];
}

export function Results({ test, rows }: ResultsProps) {
  const { headers, translatedColumnIndex, selectedCrosswalk, isComplete, page, pageSize } = test;
  const queries = useQueryClient();
  const [status, setStatus] = useState<RowStatus>();
  const list = useListState();
  const state = useMemo(
    () => ({
      ...list,
      params: { ...list.params, page, pageSize },
      setPage: (next: number) => changeApiTest(queries, { page: next }),
      setPageSize: (size: number) => changeApiTest(queries, { pageSize: size, page: 1 }),
    }),
    [list, page, pageSize, queries],
  );
  const counts = useMemo(() => countStatuses(rows), [rows]);
  const shownRows = useMemo(
    () => (status === undefined ? rows : rows.filter((row) => row.status === status)),
    [rows, status],
  );
  const result = useLocalPaging({ ...useQuery(apiTestQuery), data: shownRows }, state.params);
  const csvColumns = useMemo(() => headers.map(csvColumn), [headers]);
  const isMobile = useIsMobile();
  // Puts the translated column beside its translation, however many columns the CSV has.
  const columns = useMemo(() => {
    const translated = csvColumns.filter((_, index) => index === translatedColumnIndex);
    const otherColumns = csvColumns.filter((_, index) => index !== translatedColumnIndex);
    return [NUMBER, ...translated, ...(isMobile ? NARROW_TRANSFORMED : TRANSFORMED), ...otherColumns];
  }, [csvColumns, translatedColumnIndex, isMobile]);
  const translatedCount = rows.length - counts.WAITING;

  // On a phone, the form fills the screen, so the page scrolls to the rows when a run starts.
  const section = useRef<HTMLElement>(null);
  const scrollsToRows = isMobile && !isComplete;
  useEffect(() => {
    if (scrollsToRows) section.current?.scrollIntoView({ block: 'nearest' });
  }, [scrollsToRows]);

  return (
    // The list is at least a dozen rows high. If the form above leaves less height, the page scrolls.
    <section ref={section} aria-label="Transformed rows" className="flex min-h-[36rem] flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-x-4">
        <Figures
          figures={[
            { label: 'Rows', value: rows.length },
            ...ROW_STATUSES.map((each) => ({ label: STATUS_WORDS[each], value: counts[each] })),
          ]}
        />
        <div className="mb-4 flex min-h-7 flex-wrap items-center gap-x-4 gap-y-2">
          <p role="status" className="text-muted text-sm">
            {isComplete
              ? completeText(rows.length, counts.FAILED)
              : `${formatNumber(translatedCount)} of ${formatNumber(rows.length)} rows processed`}
          </p>
          {!isComplete && (
            <>
              <div className="w-48">
                <Progress value={(translatedCount / rows.length) * 100} label="Rows processed" />
              </div>
              <Button size="sm" onClick={() => stopTest(queries)}>
                <Square />
                Stop
              </Button>
            </>
          )}
        </div>
      </div>
      <DataGrid
        label="Transformed rows"
        state={state}
        result={result}
        columns={columns}
        rowId={numberOf}
        searchable={false}
        exports={
          <>
            <MenuLabel>All transformed rows</MenuLabel>
            <MenuItem
              onSelect={() =>
                void exportCsv(`${selectedCrosswalk?.name} (transformed)`, [...csvColumns, ...TRANSFORMED], rows)
              }
            >
              <FileText />
              CSV
            </MenuItem>
          </>
        }
        actions={
          <Select
            aria-label="Status of rows"
            className="w-36"
            value={status ?? 'ALL'}
            onValueChange={(value) => {
              setStatus(value === 'ALL' ? undefined : value);
              changeApiTest(queries, { page: 1 });
            }}
            options={[
              { value: 'ALL' as const, label: 'All rows' },
              ...ROW_STATUSES.map((value) => ({ value, label: STATUS_WORDS[value] })),
            ]}
          />
        }
        empty={{ title: 'No rows with this status' }}
      />
    </section>
  );
}
