/** One collection: its data sets, what its administrators may do with it, and where its activity is told. */
import type { CollectionView } from '@rdm/contracts/access';
import type { DataSetView } from '@rdm/contracts/data-sets';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { EllipsisVertical, FolderMinus, Pencil, Plus, ScrollText, Table2, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { DataGrid, type GridColumn, type RowAction } from '../../../components/data-grid/index.ts';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Confirm } from '../../../components/ui/dialog.tsx';
import { Menu, MenuItem } from '../../../components/ui/dropdown-menu.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { type Undoable, UndoBar } from '../../../components/undo-bar/index.tsx';
import { useAbility, useCurrentUser } from '../../../lib/auth/index.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import {
  addDataSets,
  collectionQuery,
  collectionsKey,
  deleteCollection,
  itemsQuery,
  reloadCollections,
  removeDataSets,
} from '../api/collections.ts';
import { AddDataSetsDialog } from '../components/AddDataSetsDialog.tsx';
import { CollectionDialog } from '../components/CollectionDialog.tsx';
import { Owner } from '../components/Owner.tsx';
import { Tags } from '../components/Tags.tsx';

const number = new Intl.NumberFormat('en');

const COLUMNS: readonly GridColumn<DataSetView>[] = [
  {
    id: 'name',
    header: 'Data set',
    cell: ({ id, name, description }) => (
      <Link
        to={`/reference-data/${id}`}
        title={description}
        className="font-medium text-accent underline-offset-2 hover:underline"
      >
        {name}
      </Link>
    ),
    value: ({ name }) => name,
    sortable: true,
    required: true,
    minWidth: 200,
  },
  {
    id: 'typeName',
    header: 'Type',
    cell: ({ typeName }) => typeName,
    value: ({ typeName }) => typeName,
    sortable: true,
    minWidth: 120,
  },
  {
    id: 'instanceCount',
    header: 'Instances',
    cell: ({ instanceCount }) => number.format(instanceCount),
    value: ({ instanceCount }) => instanceCount,
    sortable: true,
    numeric: true,
    width: 96,
  },
  {
    id: 'pendingCount',
    header: 'Pending changes',
    cell: ({ pendingCount }) => (pendingCount === 0 ? '–' : number.format(pendingCount)),
    value: ({ pendingCount }) => pendingCount,
    sortable: true,
    numeric: true,
    width: 136,
  },
  {
    id: 'updatedAt',
    header: 'Updated',
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
    value: ({ updatedAt }) => updatedAt,
    sortable: true,
    width: 150,
  },
];

const dataSetId = ({ id }: DataSetView) => id;
const KEYS = [collectionsKey];

export default function CollectionDetail() {
  const id = Number(useParams()['id']);
  const { data, error, refetch } = useQuery(collectionQuery(id));
  if (error !== null && data === undefined) {
    return (
      <>
        <PageHeader
          title="Collection"
          actions={
            <Button asChild variant="ghost">
              <Link to="/collections">All collections</Link>
            </Button>
          }
        />
        <ErrorState
          title="This collection could not be loaded"
          message={messageOf(error)}
          onRetry={() => void refetch()}
        />
      </>
    );
  }
  if (data === undefined) return <Skeleton className="h-7 w-64" />;
  return <Detail key={id} collection={data} />;
}

function Detail({ collection }: { collection: CollectionView }) {
  const { id } = collection;
  const navigate = useNavigate();
  const queries = useQueryClient();
  const user = useCurrentUser();
  const mayCreate = useAbility('dataSets.create');
  const state = useListState({ sort: 'name' });
  const result = useQuery(itemsQuery(id, state.params));
  const rooms = ['collections', ...(result.data?.items ?? []).map((dataSet) => `data-set:${dataSet.id}`)];
  const live = useLive({ rooms, keys: KEYS });
  const [open, setOpen] = useState<'edit' | 'delete' | 'add'>();
  const [undoable, setUndoable] = useState<Undoable>();
  const isAdmin = collection.level === 'ADMIN';

  async function takeOut(dataSets: readonly DataSetView[]) {
    const ids = dataSets.map((dataSet) => dataSet.id);
    try {
      await removeDataSets(id, ids);
      await reloadCollections(queries);
      setUndoable({
        text: `${dataSets.length === 1 ? dataSets[0]?.name : `${dataSets.length} data sets`} taken out of the collection`,
        undo: async () => {
          await addDataSets(id, ids);
          await reloadCollections(queries);
        },
      });
    } catch (error) {
      notify.error(messageOf(error), { title: 'Nothing was taken out' });
    }
  }

  async function remove() {
    setOpen(undefined);
    try {
      await deleteCollection(id, collection.revision);
      notify.success('Collection deleted', { description: collection.name });
      void navigate('/collections');
      await reloadCollections(queries);
    } catch (error) {
      notify.error(messageOf(error), { title: 'The collection was not deleted' });
    }
  }

  const actionsOf = (dataSet: DataSetView): readonly RowAction<DataSetView>[] => [
    { label: 'Open', icon: Table2, onSelect: () => void navigate(`/reference-data/${dataSet.id}`) },
    {
      label: 'Take out of the collection',
      icon: FolderMinus,
      onSelect: () => void takeOut([dataSet]),
      unavailable:
        isAdmin && dataSet.level === 'ADMIN' ? undefined : 'This needs ADMIN on the collection and on the data set',
    },
  ];

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title={collection.name}
        description={collection.description === '' ? undefined : collection.description}
        actions={
          <>
            {user.isAdmin && (
              <Button asChild variant="ghost">
                <Link to={activityOf(id)}>
                  <ScrollText />
                  Activity
                </Link>
              </Button>
            )}
            {isAdmin && (
              <Button onClick={() => setOpen('add')}>
                <Plus />
                Add data sets
              </Button>
            )}
            {isAdmin && mayCreate && (
              <Button asChild variant="primary">
                <Link to={`/reference-data/create?collection=${id}`}>
                  <Plus />
                  Create data set
                </Link>
              </Button>
            )}
            {isAdmin && (
              <Menu
                trigger={
                  <Button variant="ghost" size="icon" aria-label="More actions">
                    <EllipsisVertical />
                  </Button>
                }
              >
                <MenuItem onSelect={() => setOpen('edit')}>
                  <Pencil />
                  Edit details
                </MenuItem>
                <MenuItem className="text-danger-text" onSelect={() => setOpen('delete')}>
                  <Trash2 />
                  Delete collection
                </MenuItem>
              </Menu>
            )}
          </>
        }
      />
      <dl className="mb-3 flex flex-wrap items-center gap-x-5 gap-y-1 [&_div]:flex [&_div]:items-center [&_div]:gap-1.5 [&_dt]:text-muted">
        <div>
          <dt>Owner</dt>
          <dd>
            <Owner id={collection.ownerId} />
          </dd>
        </div>
        <div>
          <dt>Tags</dt>
          <dd>
            <Tags tags={collection.tags} />
          </dd>
        </div>
        <div>
          <dt>My level</dt>
          <dd>
            <Badge tone="outline">{collection.level}</Badge>
          </dd>
        </div>
        <div>
          <dt>Updated</dt>
          <dd>
            <RelativeTime at={collection.updatedAt} />
          </dd>
        </div>
      </dl>
      <DataGrid
        label={`Data sets of ${collection.name}`}
        state={state}
        result={result}
        columns={COLUMNS}
        rowId={dataSetId}
        rowActions={actionsOf}
        onOpen={(dataSet) => void navigate(`/reference-data/${dataSet.id}`)}
        live={live}
        flashAs="data-set"
        empty={{
          title: 'This collection is empty',
          description: isAdmin
            ? 'Add data sets that you administer, or create one in it.'
            : 'Nobody has added a data set yet.',
          action: isAdmin && (
            <Button variant="primary" onClick={() => setOpen('add')}>
              <Plus />
              Add data sets
            </Button>
          ),
        }}
      />
      {undoable !== undefined && <UndoBar action={undoable} onClose={() => setUndoable(undefined)} />}
      {open === 'edit' && <CollectionDialog collection={collection} onClose={() => setOpen(undefined)} />}
      {open === 'add' && <AddDataSetsDialog collection={collection} onClose={() => setOpen(undefined)} />}
      <Confirm
        open={open === 'delete'}
        onOpenChange={(stays) => !stays && setOpen(undefined)}
        title={`Delete ${collection.name}?`}
        description={`Its ${number.format(collection.dataSetCount)} data sets stay, but whoever had them through this collection alone loses them. This action cannot be undone.`}
        confirm="Delete"
        onConfirm={() => void remove()}
      />
    </div>
  );
}

/** What the audit log tells of the collection, for administrators. */
function activityOf(id: number): string {
  const filter = {
    logic: 'AND',
    conditions: [
      { field: 'entityType', operator: 'equals', value: 'collection' },
      { field: 'entityId', operator: 'equals', value: id },
    ],
  };
  return `/audit-logs?kind=collection&filter=${encodeURIComponent(JSON.stringify(filter))}`;
}
