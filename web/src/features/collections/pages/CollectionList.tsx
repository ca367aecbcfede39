/** The list of collections: owner, content, and the user's level. */
import type { CollectionView } from '@rdm/contracts/collections/collections';
import { COLLECTION_FIELDS } from '@rdm/contracts/collections/list-fields';
import { useQuery } from '@tanstack/react-query';
import { FolderOpen, Pencil, Plus, Table2, UserCheck } from 'lucide-react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { columnsOf, DataGrid, type RowAction } from '../../../components/data-grid/index.ts';
import { PageHeader } from '../../../components/page/index.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { useAbility } from '../../../lib/auth/index.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { useColumnsOfMoment } from '../../../lib/past/index.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { collectionListKey, collectionsQuery } from '../api/collections.ts';
import { CollectionDialog } from '../components/CollectionDialog.tsx';
import { dataSetsOf } from '../components/links.ts';
import { Owner } from '../components/Owner.tsx';
import { Tags } from '../components/Tags.tsx';

/** The link opens the collection for its administrators, and the list of its data sets for other users. */
const addressOf = ({ id, level }: Pick<CollectionView, 'id' | 'level'>): string =>
  level === 'ADMIN' ? `/collections/${id}` : dataSetsOf(id);

const { custom, text, link, number, time } = columnsOf<CollectionView>(COLLECTION_FIELDS);

const COLUMNS = [
  link('name', { to: addressOf, minWidth: 180 }),
  text('description', { minWidth: 200, wrap: true }),
  number('ownerId', { cell: ({ ownerId }) => <Owner id={ownerId} />, numeric: false, sortable: false, width: 140 }),
  custom('tags', {
    cell: ({ tags }) => <Tags tags={tags} />,
    value: ({ tags }) => tags.join(', '),
    sortable: false,
    minWidth: 140,
  }),
  number('dataSetCount', { width: 96 }),
  number('pendingCount', { cell: ({ pendingCount }) => (pendingCount === 0 ? '–' : pendingCount), width: 136 }),
  text('level', { header: 'My level', cell: ({ level }) => <Badge tone="outline">{level}</Badge>, width: 104 }),
  time('updatedAt', { width: 150 }),
];

const FILTERS = filterFields(COLLECTION_FIELDS);

const ROOMS = ['collections'];
const KEYS = [collectionListKey];
const collectionId = ({ id }: CollectionView) => id;

export default function CollectionList() {
  const navigate = useNavigate();
  const mayCreate = useAbility('collections.create');
  const state = useListState({ sort: 'name' });
  const result = useQuery(collectionsQuery(state.params));
  const live = useLive({ rooms: ROOMS, keys: KEYS });
  const columns = useColumnsOfMoment(COLUMNS);
  const [isCreating, setCreating] = useQueryState('new', parseAsBoolean.withDefault(false));
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
        columns={columns}
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
      {isCreating && mayCreate && (
        <CollectionDialog
          onClose={() => void setCreating(null)}
          onCreated={(id) => void navigate(`/collections/${id}`)}
        />
      )}
      {editing !== undefined && <CollectionDialog collection={editing} onClose={() => setEditing(undefined)} />}
    </div>
  );
}
