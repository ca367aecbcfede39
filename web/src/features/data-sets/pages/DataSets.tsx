/** The page with the list of the data sets that the user can read, and the actions on each. */

import { hasLevel } from '@rdm/contracts/access/permissions';
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  Download,
  FileJson,
  FileSpreadsheet,
  FolderOpen,
  FolderPlus,
  Network,
  Pencil,
  Plus,
  Table2,
  Trash2,
  Upload,
} from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { DataGrid, type RowAction } from '../../../components/data-grid/index.ts';
import { exportAs } from '../../../components/exports/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { NamesOf } from '../../../components/people/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { useAbility } from '../../../lib/auth/index.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { useColumnsOfMoment } from '../../../lib/past/index.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { dataSetListKey, dataSetsQuery } from '../api/data-sets.ts';
import { exportUrl } from '../api/instances.ts';
import { useBrokenCounts } from '../api/integrity.ts';
import { AddToCollectionDialog } from '../components/AddToCollectionDialog.tsx';
import { BrokenCountsContext, DATA_SET_COLUMNS, DATA_SET_FILTERS } from '../components/columns.tsx';
import { DeleteDataSetDialog } from '../components/DeleteDataSetDialog.tsx';

const KEYS = [dataSetListKey];
const dataSetId = (dataSet: DataSetView) => dataSet.id;

const NO_IDS: readonly number[] = [];

export default function DataSets() {
  const navigate = useNavigate();
  const mayCreate = useAbility('dataSets.create');
  const state = useListState({ sort: 'name' });
  const result = useQuery({ ...dataSetsQuery(state.params), placeholderData: keepPreviousData });
  // The list contains row counts; the server reports their changes in the live room of each data set.
  const rooms = ['collections', ...(result.data?.items ?? []).map(({ id }) => `data-set:${id}`)];
  const live = useLive({ rooms, keys: KEYS });
  const columns = useColumnsOfMoment(DATA_SET_COLUMNS);
  const listedIds = useMemo(() => (result.data?.items ?? []).map(dataSetId), [result.data]);
  const brokenCounts = useBrokenCounts(listedIds);
  const [dataSetToDelete, setDataSetToDelete] = useState<DataSetView>();
  const [dataSetToAdd, setDataSetToAdd] = useState<DataSetView>();

  const actionsOf = (dataSet: DataSetView): readonly RowAction<DataSetView>[] => [
    { label: 'Open', icon: Table2, onSelect: () => void navigate(`/reference-data/${dataSet.id}`) },
    {
      label: 'Import',
      icon: Upload,
      onSelect: () => void navigate(`/reference-data/${dataSet.id}/import`),
      unavailable: hasLevel(dataSet.level, 'WRITE') ? undefined : 'Importing needs WRITE on the data set',
    },
    { label: 'Graph', icon: Network, onSelect: () => void navigate(`/reference-data/${dataSet.id}/graph`) },
    { label: 'Export CSV', icon: Download, onSelect: () => exportAs('csv', exportUrl(dataSet.id, 'csv')) },
    { label: 'Export XLSX', icon: FileSpreadsheet, onSelect: () => exportAs('xlsx', exportUrl(dataSet.id, 'xlsx')) },
    { label: 'Export JSON', icon: FileJson, onSelect: () => exportAs('json', exportUrl(dataSet.id, 'json')) },
    {
      label: 'Add to a collection',
      icon: FolderPlus,
      onSelect: () => setDataSetToAdd(dataSet),
      unavailable: dataSet.level === 'ADMIN' ? undefined : 'Adding to a collection needs ADMIN on the data set',
    },
    {
      label: 'Edit',
      icon: Pencil,
      onSelect: () => void navigate(`/reference-data/${dataSet.id}/edit`),
      unavailable: dataSet.level === 'ADMIN' ? undefined : 'Editing needs ADMIN on the data set',
    },
    {
      label: 'Delete',
      icon: Trash2,
      onSelect: () => setDataSetToDelete(dataSet),
      unavailable: dataSet.level === 'ADMIN' ? undefined : 'Deleting needs ADMIN on the data set',
      destructive: true,
    },
  ];

  const create = mayCreate && (
    <Button asChild variant="primary">
      <Link to="/reference-data/create">
        <Plus />
        Create data set
      </Link>
    </Button>
  );

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Reference Data Sets"
        description="The code lists that you can read."
        actions={
          <>
            <Button asChild variant="ghost">
              <Link to="/collections">
                <FolderOpen />
                Collections
              </Link>
            </Button>
            {create}
          </>
        }
      />
      <BrokenCountsContext value={brokenCounts}>
        <NamesOf ids={result.data?.items.map(({ updatedBy }) => updatedBy) ?? NO_IDS}>
          <DataGrid
            label="Reference data sets"
            entity="data-sets"
            state={state}
            result={result}
            columns={columns}
            rowId={dataSetId}
            rowActions={actionsOf}
            onOpen={(dataSet) => void navigate(`/reference-data/${dataSet.id}`)}
            filterFields={DATA_SET_FILTERS}
            live={live}
            flashAs="data-set"
            empty={{
              title: 'No data sets yet',
              description: mayCreate
                ? 'A data set holds the rows of one code list. Create one, then import its rows.'
                : 'No data set is shared with you yet.',
              action: create,
            }}
          />
        </NamesOf>
      </BrokenCountsContext>
      {dataSetToAdd !== undefined && (
        <AddToCollectionDialog dataSet={dataSetToAdd} onClose={() => setDataSetToAdd(undefined)} />
      )}
      {dataSetToDelete !== undefined && (
        <DeleteDataSetDialog dataSet={dataSetToDelete} onClose={() => setDataSetToDelete(undefined)} />
      )}
    </div>
  );
}
