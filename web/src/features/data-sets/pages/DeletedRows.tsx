/** The page of the deleted rows of a data set, where users restore rows. */

import { hasLevel } from '@rdm/contracts/access/permissions';
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { keyedBy, type SchemaFieldView } from '@rdm/contracts/reference-types/reference-types';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ArrowLeft, History, RotateCcw } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link, useParams } from 'react-router-dom';
import { type BulkAction, DataGrid, type RowAction } from '../../../components/data-grid/index.ts';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { NamesOf } from '../../../components/people/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { type Undoable, UndoBar } from '../../../components/undo-bar/index.tsx';
import { useLive } from '../../../lib/live/index.tsx';
import { useIsMobile } from '../../../lib/media/index.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { dataSetKey, dataSetQuery, fieldsQuery } from '../api/data-sets.ts';
import { deletedInstancesQuery, freezeDeletedInstances, instancesKey } from '../api/instances.ts';
import { deletedColumns, instanceFilters, keyFirst } from '../components/instance-columns.tsx';
import { RowDrawer } from '../components/RowDrawer.tsx';
import { singleRow, useRowRestoring } from '../components/useRowRestoring.tsx';

const NEWEST_FIRST = { sort: 'updatedAt', order: 'DESC' } as const;
const rowId = (row: InstanceView) => row.id;

export default function DeletedRows() {
  const id = Number(useParams()['id']);
  const dataSet = useQuery(dataSetQuery(id));
  const fields = useQuery(fieldsQuery(dataSet.data?.typeId));
  const failedQuery = [dataSet, fields].find((query) => query.error !== null && query.data === undefined);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title={dataSet.data === undefined ? 'Deleted rows' : `Deleted rows of ${dataSet.data.name}`}
        description="Deleted rows with their last values. A row can be restored with its history if no other row has its key."
        actions={
          <Button asChild variant="ghost">
            <Link to={`/reference-data/${id}`}>
              <ArrowLeft />
              Back to the rows
            </Link>
          </Button>
        }
      />
      {failedQuery !== undefined ? (
        <ErrorState error={failedQuery.error} onRetry={() => void failedQuery.refetch()} />
      ) : dataSet.data === undefined || fields.data === undefined ? (
        <Skeleton className="w-96 max-w-full" />
      ) : (
        <Rows key={id} dataSet={dataSet.data} typeFields={fields.data} />
      )}
    </div>
  );
}

function Rows({ dataSet, typeFields }: { dataSet: DataSetView; typeFields: readonly SchemaFieldView[] }) {
  const { id, primaryKeyFields } = dataSet;
  const isMobile = useIsMobile();
  const fields = useMemo(() => keyFirst(keyedBy(typeFields, primaryKeyFields)), [typeFields, primaryKeyFields]);
  const columns = useMemo(() => deletedColumns(fields), [fields]);
  const filters = useMemo(() => instanceFilters(fields), [fields]);
  const state = useListState(NEWEST_FIRST);
  const result = useQuery({ ...deletedInstancesQuery(id, state.params), placeholderData: keepPreviousData });
  const live = useLive({ rooms: [`data-set:${id}`, 'types'], keys: [instancesKey(id), dataSetKey(id)] });
  const [undoable, setUndoable] = useState<Undoable>();
  const [openedRow, setOpenedRow] = useState<InstanceView>();
  const { restore, dialogs } = useRowRestoring(id, setUndoable);

  const mayWrite = hasLevel(dataSet.level, 'WRITE');
  const unavailable =
    dataSet.exclusiveJobId === null ? undefined : 'Rows cannot be changed until the running import has ended';
  const actionsOf = (): readonly RowAction<InstanceView>[] => [
    ...(mayWrite
      ? [
          {
            label: 'Restore',
            icon: RotateCcw,
            onSelect: (row: InstanceView) => void restore(singleRow(row)),
            unavailable,
          },
        ]
      : []),
    { label: 'History', icon: History, onSelect: setOpenedRow },
  ];
  const bulkActions: readonly BulkAction<InstanceView>[] = mayWrite
    ? [
        {
          label: 'Restore',
          icon: RotateCcw,
          onSelect: (selection) => void restore(selection),
          unavailable: () => unavailable,
        },
      ]
    : [];

  return (
    <>
      <NamesOf ids={(result.data?.items ?? []).map(({ updatedBy }) => updatedBy)}>
        <DataGrid
          label="Deleted rows"
          entity={`data-set:${id}`}
          state={state}
          result={result}
          columns={columns}
          rowId={rowId}
          filterFields={filters}
          rowActions={actionsOf}
          inlineActions={mayWrite && !isMobile ? 1 : 0}
          bulkActions={bulkActions}
          selectAll={(params) => freezeDeletedInstances(id, params)}
          onOpen={setOpenedRow}
          live={live}
          empty={{ title: 'No deleted rows', description: 'Deleted rows stay here and can be restored.' }}
        />
      </NamesOf>
      {dialogs}
      {undoable !== undefined && <UndoBar action={undoable} onClose={() => setUndoable(undefined)} />}
      {openedRow !== undefined && (
        <RowDrawer
          dataSetId={id}
          row={openedRow}
          fields={fields.map(({ name }) => name)}
          deleted={{
            by: openedRow.updatedBy,
            at: openedRow.updatedAt,
            unavailable,
            onRestore: mayWrite
              ? () => {
                  setOpenedRow(undefined);
                  void restore(singleRow(openedRow));
                }
              : undefined,
          }}
          onClose={() => setOpenedRow(undefined)}
        />
      )}
    </>
  );
}
