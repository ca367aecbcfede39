/** The activity of a collection, newest first: changes, added and removed data sets, grants. */
import { actorText } from '@rdm/contracts/access/acting-key';
import type { CollectionActivity } from '@rdm/contracts/collections/collections';
import { COLLECTION_ACTIVITY_FIELDS } from '@rdm/contracts/collections/list-fields';
import { useQuery } from '@tanstack/react-query';
import { columnsOf, DataGrid } from '../../../components/data-grid/index.ts';
import { usePeople } from '../../../lib/auth/people.ts';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { activityQuery, collectionsKey } from '../api/collections.ts';

const ACTION_WORDS: Record<string, string> = {
  CollectionCreated: 'Created',
  CollectionChanged: 'Details changed',
  CollectionItemsAdded: 'Data sets added',
  CollectionItemsRemoved: 'Data sets removed',
  CollectionPermissionsChanged: 'Permissions changed',
};

function Actor({ userId, ...entry }: CollectionActivity) {
  return <>{actorText(usePeople([userId])(userId), entry)}</>;
}

const { custom, text, number, time } = columnsOf<CollectionActivity>(COLLECTION_ACTIVITY_FIELDS);

const COLUMNS = [
  time('timestamp', { required: true, width: 160 }),
  number('userId', {
    header: 'User',
    cell: (entry) => <Actor {...entry} />,
    numeric: false,
    sortable: false,
    width: 180,
  }),
  text('action', { cell: ({ action }) => ACTION_WORDS[action] ?? action, minWidth: 160 }),
  custom('dataSets', {
    cell: ({ dataSets }) => (dataSets.length === 0 ? '–' : dataSets.map(({ name }) => name).join(', ')),
    value: ({ dataSets }) => dataSets.map(({ name }) => name).join(', '),
    sortable: false,
    minWidth: 200,
    wrap: true,
  }),
];

const FILTERS = filterFields(COLLECTION_ACTIVITY_FIELDS);

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
      empty={{ title: 'No activity yet', description: 'Changes of the collection appear here.' }}
    />
  );
}
