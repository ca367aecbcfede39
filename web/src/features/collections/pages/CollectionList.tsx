/** The list of collections: owner, content, and the user's level. */
import type { CollectionView } from '@rdm/contracts/collections/collections';
import type { FilterField } from '@rdm/contracts/lists/filter';
import { useQuery } from '@tanstack/react-query';
import { FolderOpen, Pencil, Plus, Table2, UserCheck } from 'lucide-react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { DataGrid, type GridColumn, type RowAction } from '../../../components/data-grid/index.ts';
import { PageHeader } from '../../../components/page/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { useAbility } from '../../../lib/auth/index.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { collectionListKey, collectionsQuery } from '../api/collections.ts';
import { CollectionDialog } from '../components/CollectionDialog.tsx';
import { dataSetsOf } from '../components/links.ts';
import { Owner } from '../components/Owner.tsx';
import { Tags } from '../components/Tags.tsx';

/** Administrators open the collection; other users see its data sets. */
const addressOf = ({ id, level }: Pick<CollectionView, 'id' | 'level'>): string =>
  level === 'ADMIN' ? `/collections/${id}` : dataSetsOf(id);

const COLUMNS: readonly GridColumn<CollectionView>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ id, name, level }) => (
      <Link to={addressOf({ id, level })} className="font-medium text-accent underline-offset-2 hover:underline">
        {name}
      </Link>
    ),
    value: ({ name }) => name,
    sortable: true,
    required: true,
    minWidth: 180,
  },
  {
    id: 'description',
    header: 'Description',
    cell: ({ description }) => description,
    value: ({ description }) => description,
    sortable: true,
    minWidth: 200,
    wrap: true,
  },
  {
    id: 'ownerId',
    header: 'Owner',
    cell: ({ ownerId }) => <Owner id={ownerId} />,
    value: ({ ownerId }) => ownerId,
    width: 140,
  },
  {
    id: 'tags',
    header: 'Tags',
    cell: ({ tags }) => <Tags tags={tags} />,
    value: ({ tags }) => tags.join(', '),
    minWidth: 140,
  },
  {
    id: 'dataSetCount',
    header: 'Data sets',
    cell: ({ dataSetCount }) => dataSetCount,
    value: ({ dataSetCount }) => dataSetCount,
    sortable: true,
    numeric: true,
    width: 96,
  },
  {
    id: 'pendingCount',
    header: 'Pending changes',
    cell: ({ pendingCount }) => (pendingCount === 0 ? '–' : pendingCount),
    value: ({ pendingCount }) => pendingCount,
    sortable: true,
    numeric: true,
    width: 136,
  },
  {
    id: 'level',
    header: 'My level',
    cell: ({ level }) => <Badge tone="outline">{level}</Badge>,
    value: ({ level }) => level,
    width: 104,
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

const FILTERS: readonly FilterField[] = [
  { name: 'name', label: 'Name', dataType: 'string' },
  { name: 'description', label: 'Description', dataType: 'string' },
  { name: 'tags', label: 'Tags', dataType: 'array' },
  { name: 'dataSetCount', label: 'Data sets', dataType: 'number' },
  { name: 'pendingCount', label: 'Pending changes', dataType: 'number' },
  { name: 'createdAt', label: 'Created', dataType: 'datetime' },
  { name: 'updatedAt', label: 'Updated', dataType: 'datetime' },
];

const ROOMS = ['collections'];
const KEYS = [collectionListKey];
const collectionId = ({ id }: CollectionView) => id;

export default function CollectionList() {
  const navigate = useNavigate();
  const mayCreate = useAbility('collections.create');
  const state = useListState({ sort: 'name' });
  const result = useQuery(collectionsQuery(state.params));
  const live = useLive({ rooms: ROOMS, keys: KEYS });
  const [creating, setCreating] = useQueryState('new', parseAsBoolean.withDefault(false));
  const [editing, setEditing] = useState<CollectionView>();

  const actionsOf = (collection: CollectionView): readonly RowAction<CollectionView>[] => [
    { label: 'Open', icon: FolderOpen, onSelect: () => void navigate(addressOf(collection)) },
    {
      label: 'Permissions',
      icon: UserCheck,
      onSelect: () => void navigate(`/collections/${collection.id}/permissions`),
      unavailable: collection.level === 'ADMIN' ? undefined : 'This needs ADMIN on the collection',
    },
    {
      label: 'Edit',
      icon: Pencil,
      onSelect: () => setEditing(collection),
      unavailable: collection.level === 'ADMIN' ? undefined : 'Editing needs ADMIN on the collection',
    },
  ];

  const create = mayCreate && (
    <Button variant="primary" onClick={() => void setCreating(true)}>
      <Plus />
      Create collection
    </Button>
  );

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Reference Data Collections"
        description="Groups of data sets with shared permissions."
        actions={
          <>
            <Button asChild variant="ghost">
              <Link to="/reference-data">
                <Table2 />
                All data sets
              </Link>
            </Button>
            {create}
          </>
        }
      />
      <DataGrid
        label="Collections"
        entity="collections"
        state={state}
        result={result}
        columns={COLUMNS}
        rowId={collectionId}
        rowActions={actionsOf}
        onOpen={(collection) => void navigate(addressOf(collection))}
        filterFields={FILTERS}
        live={live}
        flashAs="collection"
        empty={{
          title: 'No collections yet',
          description: mayCreate
            ? 'A collection shares data sets with people and groups.'
            : 'No collection is shared with you yet.',
          action: create,
        }}
      />
      {creating && mayCreate && (
        <CollectionDialog
          onClose={() => void setCreating(null)}
          onCreated={(id) => void navigate(`/collections/${id}`)}
        />
      )}
      {editing !== undefined && <CollectionDialog collection={editing} onClose={() => setEditing(undefined)} />}
    </div>
  );
}
