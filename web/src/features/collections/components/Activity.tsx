/** The activity of a collection, newest first: changes, added and removed data sets, grants. */
import type { CollectionActivity } from '@rdm/contracts/collections/collections';
import type { FilterField } from '@rdm/contracts/lists/filter';
import { useQuery } from '@tanstack/react-query';
import { DataGrid, type GridColumn } from '../../../components/data-grid/index.ts';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { useLive } from '../../../lib/live/index.tsx';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { activityQuery, collectionsKey } from '../api/collections.ts';
import { Owner } from './Owner.tsx';

const WORDS: Record<string, string> = {
  CollectionCreated: 'Created',
  CollectionChanged: 'Details changed',
  CollectionItemsAdded: 'Data sets added',
  CollectionItemsRemoved: 'Data sets removed',
  CollectionPermissionsChanged: 'Permissions changed',
};

const COLUMNS: readonly GridColumn<CollectionActivity>[] = [
  {
    id: 'timestamp',
    header: 'Time',
    cell: ({ timestamp }) => <RelativeTime at={timestamp} />,
    value: ({ timestamp }) => timestamp,
    sortable: true,
    required: true,
    width: 160,
  },
  {
    id: 'userId',
    header: 'User',
    cell: ({ userId }) => <Owner id={userId} />,
    value: ({ userId }) => userId,
    width: 180,
  },
  {
    id: 'action',
    header: 'What happened',
    cell: ({ action }) => WORDS[action] ?? action,
    value: ({ action }) => action,
    sortable: true,
    minWidth: 160,
  },
  {
    id: 'dataSets',
    header: 'Data sets',
    cell: ({ dataSets }) => (dataSets.length === 0 ? '–' : dataSets.map(({ name }) => name).join(', ')),
    value: ({ dataSets }) => dataSets.map(({ name }) => name).join(', '),
    minWidth: 200,
    wrap: true,
  },
];

const FILTERS: readonly FilterField[] = [
  { name: 'timestamp', label: 'Time', dataType: 'datetime' },
  { name: 'username', label: 'User', dataType: 'string' },
  { name: 'action', label: 'What happened', dataType: 'string' },
  { name: 'dataSets', label: 'Data sets', dataType: 'array' },
];

const ROOMS = ['collections'];
const KEYS = [[...collectionsKey, 'activity']];
const entryId = ({ seq }: CollectionActivity) => seq;

export function Activity({ collectionId, name }: { collectionId: number; name: string }) {
  const state = useListState({});
  const result = useQuery(activityQuery(collectionId, state.params));
  const live = useLive({ rooms: ROOMS, keys: KEYS });
  return (
    <DataGrid
      label={`Activity of ${name}`}
      entity="collection-activity"
      state={state}
      result={result}
      columns={COLUMNS}
      rowId={entryId}
      filterFields={FILTERS}
      live={live}
      empty={{ title: 'Nothing happened yet', description: 'Changes of the collection appear here.' }}
    />
  );
}
