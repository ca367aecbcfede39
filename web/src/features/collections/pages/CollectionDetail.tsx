/** One collection: its data sets, its activity, and the actions of its administrators. */

import type { CollectionView } from '@rdm/contracts/collections/collections';
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { DATA_SET_FIELDS } from '@rdm/contracts/data-sets/list-fields';
import { string } from '@rdm/contracts/lists/list-field';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { EllipsisVertical, FolderMinus, Pencil, Plus, Table2, Trash2, UserCheck } from 'lucide-react';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { columnsOf, DataGrid, type RowAction } from '../../../components/data-grid/index.ts';
import { DeleteDialog } from '../../../components/delete-dialog/index.tsx';
import { EmptyState } from '../../../components/empty-state/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Menu, MenuItem } from '../../../components/ui/dropdown-menu.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { type Undoable, UndoBar } from '../../../components/undo-bar/index.tsx';
import { useAbility } from '../../../lib/auth/index.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { useIsPast } from '../../../lib/past/index.ts';
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
import { Activity } from '../components/Activity.tsx';
import { AddDataSetsDialog } from '../components/AddDataSetsDialog.tsx';
import { CollectionDialog } from '../components/CollectionDialog.tsx';
import { CollectionUnavailable } from '../components/CollectionUnavailable.tsx';
import { Owner } from '../components/Owner.tsx';
import { Tags } from '../components/Tags.tsx';

const FIELDS = { ...DATA_SET_FIELDS, name: string('Name', 'Data set') };
const { text, link, count, countOrDash, time } = columnsOf<DataSetView>(FIELDS);

const COLUMNS = [
  link('name', { to: ({ id }) => `/reference-data/${id}`, title: ({ description }) => description, minWidth: 200 }),
  text('typeName', { minWidth: 120 }),
  count('instanceCount', { width: 96 }),
  countOrDash('pendingCount', { width: 136 }),
  time('updatedAt', { width: 150 }),
];

const FILTERS = filterFields(FIELDS);

const dataSetId = ({ id }: DataSetView) => id;
const KEYS = [collectionsKey];
const TABS = ['data-sets', 'activity'] as const;

export default function CollectionDetail() {
  const id = Number(useParams()['id']);
  const { data, error, refetch } = useQuery(collectionQuery(id));
  if (error !== null && data === undefined)
    return <CollectionUnavailable id={id} error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton className="h-7 w-64" />;
  return <Detail key={id} collection={data} />;
}

type OpenDialog = 'edit' | 'delete' | 'add';

function Detail({ collection }: { collection: CollectionView }) {
  const { id } = collection;
  const navigate = useNavigate();
  const queries = useQueryClient();
  const state = useListState({ sort: 'name' });
  const result = useQuery(itemsQuery(id, state.params));
  const isPast = useIsPast();
  const [tab] = useQueryState('tab', parseAsStringLiteral(TABS).withDefault('data-sets'));
  const rooms = ['collections', ...(result.data?.items ?? []).map((dataSet) => `data-set:${dataSet.id}`)];
  const live = useLive({ rooms, keys: KEYS });
  const [open, setOpen] = useState<OpenDialog>();
  const [undoable, setUndoable] = useState<Undoable>();
  const isAdmin = collection.level === 'ADMIN';

  async function removeFromCollection(dataSets: readonly DataSetView[]) {
    const ids = dataSets.map((dataSet) => dataSet.id);
    try {
      await removeDataSets(id, ids);
      await reloadCollections(queries);
      setUndoable({
        text: `${dataSets.length === 1 ? dataSets[0]?.name : `${dataSets.length} data sets`} removed from the collection`,
        undo: async () => {
          await addDataSets(id, ids);
          await reloadCollections(queries);
        },
      });
    } catch (error) {
      notify.error(messageOf(error), { title: 'Nothing was removed' });
    }
  }

  const actionsOf = (dataSet: DataSetView): readonly RowAction<DataSetView>[] => [
    { label: 'Open', icon: Table2, onSelect: () => void navigate(`/reference-data/${dataSet.id}`) },
    {
      label: 'Remove from the collection',
      icon: FolderMinus,
      onSelect: () => void removeFromCollection([dataSet]),
      unavailable:
        isAdmin && dataSet.level === 'ADMIN' ? undefined : 'This needs ADMIN on the collection and on the data set',
    },
  ];

  const dataSets = (
    <DataGrid
      label={`Data sets of ${collection.name}`}
      entity="collection-data-sets"
      state={state}
      result={result}
      columns={COLUMNS}
      rowId={dataSetId}
      filterFields={FILTERS}
      rowActions={actionsOf}
      onOpen={(dataSet) => void navigate(`/reference-data/${dataSet.id}`)}
      live={live}
      flashAs="data-set"
      empty={{
        title: 'This collection is empty',
        description: isAdmin ? 'Add data sets that you administer, or create one here.' : 'No data set was added yet.',
        action: isAdmin && (
          <Button variant="primary" onClick={() => setOpen('add')}>
            <Plus />
            Add data sets
          </Button>
        ),
      }}
    />
  );

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title={collection.name}
        description={collection.description === '' ? undefined : collection.description}
        actions={isAdmin && <AdministratorActions collection={collection} onChoose={setOpen} />}
      />
      <Summary collection={collection} />
      <Tabs
        label={collection.name}
        value={tab}
        // Drops the other URL parameters except `asOf`, because each tab has its own sort and search.
        onValueChange={(chosen) => void navigate(`?tab=${chosen}`)}
        className="flex-1"
        tabs={[
          { value: 'data-sets', label: 'Data sets', count: formatNumber(collection.dataSetCount) },
          { value: 'activity', label: 'Activity' },
        ]}
      >
        {tab === 'data-sets' ? (
          dataSets
        ) : isPast ? (
          <EmptyState
            title="Activity is not available for the past"
            description="Return to the present to see all activities until now, with their times."
          />
        ) : (
          <Activity collectionId={id} name={collection.name} />
        )}
      </Tabs>
      {undoable !== undefined && <UndoBar action={undoable} onClose={() => setUndoable(undefined)} />}
      {open === 'edit' && <CollectionDialog collection={collection} onClose={() => setOpen(undefined)} />}
      {open === 'add' && <AddDataSetsDialog collection={collection} onClose={() => setOpen(undefined)} />}
      {open === 'delete' && (
        <DeleteDialog
          noun="collection"
          name={collection.name}
          description={`Its ${collection.dataSetCount === 1 ? 'data set stays' : `${formatNumber(collection.dataSetCount)} data sets stay`}, but users lose the access that only this collection gives them.`}
          onDelete={() => deleteCollection(id, collection.revision)}
          onDeleted={() => {
            void navigate('/collections');
            return reloadCollections(queries);
          }}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}

function AdministratorActions({
  collection: { id },
  onChoose,
}: {
  collection: CollectionView;
  onChoose: (dialog: OpenDialog) => void;
}) {
  const mayCreate = useAbility('dataSets.create');
  return (
    <>
      <Button asChild variant="ghost">
        <Link to={`/collections/${id}/permissions`}>
          <UserCheck />
          Permissions
        </Link>
      </Button>
      <Button onClick={() => onChoose('add')}>
        <Plus />
        Add data sets
      </Button>
      {mayCreate && (
        <Button asChild variant="primary">
          <Link to={`/reference-data/create?collection=${id}`}>
            <Plus />
            Create data set
          </Link>
        </Button>
      )}
      <Menu
        trigger={
          <Button variant="ghost" size="icon" aria-label="More actions">
            <EllipsisVertical />
          </Button>
        }
      >
        <MenuItem onSelect={() => onChoose('edit')}>
          <Pencil />
          Edit details
        </MenuItem>
        <MenuItem className="text-danger-text" onSelect={() => onChoose('delete')}>
          <Trash2 />
          Delete collection
        </MenuItem>
      </Menu>
    </>
  );
}

function Summary({ collection }: { collection: CollectionView }) {
  const isPast = useIsPast();
  return (
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
      {!isPast && (
        <div>
          <dt>My level</dt>
          <dd>
            <Badge tone="outline">{collection.level}</Badge>
          </dd>
        </div>
      )}
      <div>
        <dt>Updated</dt>
        <dd>
          <RelativeTime at={collection.updatedAt} />
        </dd>
      </div>
    </dl>
  );
}
