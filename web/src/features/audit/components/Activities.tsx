/** The tab of activities: a list with a search and exports, and a drawer with the details of an activity. */
import type { AuditActivity } from '@rdm/contracts/audit/activities';
import { activityActor, describeAction } from '@rdm/contracts/audit/describe';
import { ACTIVITY_FIELDS } from '@rdm/contracts/audit/list-fields';
import type { FilterGroup } from '@rdm/contracts/lists/filter';
import { useQuery } from '@tanstack/react-query';
import { Eye, FileJson, FileText, History, List } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { columnsOf, DataGrid, type GridColumn, type RowAction } from '../../../components/data-grid/index.ts';
import { saveFile } from '../../../components/exports/save-file.ts';
import { MenuItem, MenuLabel } from '../../../components/ui/dropdown-menu.tsx';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { useMedia } from '../../../lib/media/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import {
  ACTIVITY_PREFIX,
  activitiesExportUrl,
  activitiesKey,
  activitiesQuery,
  eventsFilter,
} from '../api/activities.ts';
import { ActivityDrawer } from './ActivityDrawer.tsx';
import { Instant, LIVE_ROOMS } from './columns.tsx';
import { activityReplay } from './subjects.ts';
import { useNewEntries } from './useNewEntries.ts';

const { custom, text, count } = columnsOf<AuditActivity>(ACTIVITY_FIELDS);

/** On a narrow screen, the default is one column: the sentence with the time below. */
const columnsFor = (
  isNarrow: boolean,
  onOpen: (activity: AuditActivity) => void,
): readonly GridColumn<AuditActivity>[] => [
  text('timestamp', { cell: (activity) => <Instant at={activity.timestamp} />, width: 152, hidden: isNarrow }),
  custom('line', {
    header: 'Activity',
    cell: (activity) => (
      <button type="button" className="text-left hover:underline" onClick={() => onOpen(activity)}>
        <span className="font-medium">{activityActor(activity)}</span> {describeAction(activity)}
        {isNarrow && (
          <span className="block text-muted text-xs">
            <Instant at={activity.timestamp} />
          </span>
        )}
      </button>
    ),
    value: ({ line }) => line,
    required: true,
    wrap: true,
    minWidth: isNarrow ? 220 : 320,
  }),
  text('username', { hidden: true, minWidth: 120 }),
  text('subjectName', { hidden: true, minWidth: 140 }),
  count('rows', {
    cell: ({ rows }) => (rows === 0 ? '–' : formatNumber(rows)),
    width: 72,
    hidden: isNarrow,
  }),
  text('sourceType', { width: 84, hidden: isNarrow }),
  count('events', { width: 76, hidden: true }),
];

const FILTERS = filterFields(ACTIVITY_FIELDS, [
  'timestamp',
  'username',
  'apiKeyName',
  'verb',
  'subjectType',
  'subjectName',
  'rows',
  'comment',
  'sourceType',
  'commandId',
  'correlationId',
  'jobId',
]);

const INCOMPLETE_SEARCH =
  'Not all rows could be searched, so more activities may match. Search for more words, or for a whole code or label.';

const KEYS = [activitiesKey];
const activityId = ({ id }: AuditActivity) => id;

export function Activities({ onEvents }: { onEvents: (filter: FilterGroup) => void }) {
  const navigate = useNavigate();
  const state = useListState({ prefix: ACTIVITY_PREFIX });
  const result = useQuery(activitiesQuery(state.params));
  const live = useLive({ rooms: LIVE_ROOMS, keys: KEYS });
  useNewEntries(activitiesKey);
  const [openedActivity, setOpenedActivity] = useState<AuditActivity>();
  const isNarrow = useMedia('(max-width: 640px)');
  const columns = useMemo(() => columnsFor(isNarrow, setOpenedActivity), [isNarrow]);
  const showEvents = (activity: AuditActivity) => onEvents(eventsFilter(activity));
  const actionsOf = (activity: AuditActivity): readonly RowAction<AuditActivity>[] => {
    const replay = activityReplay(activity);
    return [
      { label: 'Details', icon: Eye, onSelect: setOpenedActivity },
      ...(replay === undefined ? [] : [{ label: 'Replay', icon: History, onSelect: () => void navigate(replay) }]),
      { label: 'Show the events', icon: List, onSelect: showEvents },
    ];
  };
  const save = (format: 'csv' | 'ndjson') => void saveFile(activitiesExportUrl(format, state.params));

  return (
    <>
      {state.params.q !== undefined && result.data?.complete === false && (
        <p role="status" className="border-hairline border-b bg-hover px-4 py-1.5 text-sm">
          {INCOMPLETE_SEARCH}
        </p>
      )}
      <DataGrid
        label="Activities"
        entity="audit-activities"
        state={state}
        result={result}
        columns={columns}
        rowId={activityId}
        rowActions={actionsOf}
        onOpen={setOpenedActivity}
        filterFields={FILTERS}
        exports={
          <>
            <MenuLabel>All activities that match, oldest first</MenuLabel>
            <MenuItem onSelect={() => save('csv')}>
              <FileText />
              CSV
            </MenuItem>
            <MenuItem onSelect={() => save('ndjson')}>
              <FileJson />
              NDJSON
            </MenuItem>
          </>
        }
        live={live}
        empty={{
          title: 'No activities yet',
          description: 'Each change that a user, an API key or a job makes appears here as one sentence.',
        }}
      />
      {openedActivity !== undefined && (
        <ActivityDrawer
          activity={openedActivity}
          searchText={state.params.q}
          onEvents={() => showEvents(openedActivity)}
          onClose={() => setOpenedActivity(undefined)}
        />
      )}
    </>
  );
}
