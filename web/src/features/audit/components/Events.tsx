/** The tab of events: one inner tab per kind. The menu of an entry opens details, a replay or related events. */
import { AUDIT_KINDS, type AuditKind } from '@rdm/contracts/audit/audit';
import type { AuditLogView } from '@rdm/contracts/audit/audit-log-view';
import type { FilterGroup } from '@rdm/contracts/lists/filter';
import { useQuery } from '@tanstack/react-query';
import { Eye, FileArchive, FileJson, FileText, History, Layers } from 'lucide-react';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useMemo, useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { DataGrid, type RowAction } from '../../../components/data-grid/index.ts';
import { saveFile } from '../../../components/exports/save-file.ts';
import { Button } from '../../../components/ui/button.tsx';
import { MenuItem, MenuLabel } from '../../../components/ui/dropdown-menu.tsx';
import { Tabs } from '../../../components/ui/tabs.tsx';
import { usePeople } from '../../../lib/auth/people.ts';
import { useLive } from '../../../lib/live/index.tsx';
import type { ListState } from '../../../lib/url-state/list-state.ts';
import { activitiesPath } from '../api/activities.ts';
import { auditKey, auditQuery, exportUrl, logExportUrl } from '../api/audit.ts';
import { AUDIT_FILTERS, actorIdOf, auditColumns, LIVE_ROOMS } from './columns.tsx';
import { EntryDrawer } from './EntryDrawer.tsx';
import { replayables } from './subjects.ts';
import { useNewEntries } from './useNewEntries.ts';

const TABS: readonly { value: AuditKind | 'all'; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'user', label: 'Users' },
  { value: 'reference-data', label: 'Reference data' },
  { value: 'relationship', label: 'Relationships' },
  { value: 'crosswalk', label: 'Crosswalks' },
  { value: 'collection', label: 'Collections' },
  { value: 'reference-type', label: 'Reference types' },
  { value: 'api-key', label: 'API keys' },
  { value: 'system', label: 'System' },
  { value: 'approvals', label: 'Approvals' },
];

const KEYS = [auditKey];

/** Why a purged entry has no replay and no related events; undefined for other entries. */
const purgedReason = ({ purgeId }: AuditLogView): string | undefined =>
  purgeId === null ? undefined : 'The event of this entry was purged';

const entrySeq = (entry: AuditLogView) => entry.seq;
export const equalsFilter = (field: string, value: string | number): FilterGroup => ({
  logic: 'AND',
  conditions: [{ field, operator: 'equals', value }],
});

/** The kind of events in the URL. */
export const useKind = () => useQueryState('kind', parseAsStringLiteral(AUDIT_KINDS));

export function Events({ state }: { state: ListState }) {
  const navigate = useNavigate();
  const [kind, setKind] = useKind();
  const result = useQuery(auditQuery(kind ?? undefined, state.params));
  const live = useLive({ rooms: LIVE_ROOMS, keys: KEYS });
  useNewEntries(auditKey);
  const nameOf = usePeople(result.data?.items.map(actorIdOf) ?? []);
  const [openedEntry, setOpenedEntry] = useState<AuditLogView>();

  const { setFilter } = state;
  const columns = useMemo(
    () =>
      auditColumns((correlationId) => {
        void setKind(null);
        setFilter(equalsFilter('correlationId', correlationId));
      }, nameOf),
    [setKind, setFilter, nameOf],
  );

  function showRelatedEvents({ correlationId }: AuditLogView) {
    if (correlationId === null) return;
    setOpenedEntry(undefined);
    void setKind(null);
    state.setFilter(equalsFilter('correlationId', correlationId));
  }

  const actionsOf = (entry: AuditLogView): readonly RowAction<AuditLogView>[] => [
    { label: 'Details', icon: Eye, onSelect: setOpenedEntry },
    {
      label: 'Replay',
      icon: History,
      unavailable: purgedReason(entry),
      onSelect: () => {
        const [first, ...others] = replayables(entry);
        if (others.length > 0) setOpenedEntry(entry);
        else if (first !== undefined) void navigate(first.to);
      },
    },
    {
      label: 'Show all related events',
      icon: Layers,
      unavailable: purgedReason(entry),
      onSelect: showRelatedEvents,
    },
  ];

  return (
    <>
      <Tabs
        label="Kinds of entries"
        className="flex-1"
        value={kind ?? 'all'}
        onValueChange={(chosen) => {
          state.setPage(1);
          void setKind(chosen === 'all' ? null : chosen);
        }}
        tabs={TABS}
      >
        <DataGrid
          label={TABS.find(({ value }) => value === (kind ?? 'all'))?.label ?? 'Audit logs'}
          entity="audit"
          state={state}
          result={result}
          columns={columns}
          rowId={entrySeq}
          rowActions={actionsOf}
          onOpen={setOpenedEntry}
          filterFields={AUDIT_FILTERS}
          exports={
            <>
              <MenuLabel>All entries that match, oldest first</MenuLabel>
              <MenuItem onSelect={() => void saveFile(exportUrl('csv', kind ?? undefined, state.params))}>
                <FileText />
                CSV
              </MenuItem>
              <MenuItem onSelect={() => void saveFile(exportUrl('ndjson', kind ?? undefined, state.params))}>
                <FileJson />
                NDJSON
              </MenuItem>
              <MenuLabel>For auditors</MenuLabel>
              <MenuItem onSelect={() => void saveFile(logExportUrl)}>
                <FileArchive />
                Whole log with contents
              </MenuItem>
            </>
          }
          live={live}
          emptySearch={
            state.params.q === undefined
              ? undefined
              : {
                  description:
                    'This search reads the action, the summary, the comment and the reason of each event. The search of the activities also finds codes, labels and names.',
                  action: (
                    <Button asChild variant="primary">
                      <Link to={activitiesPath(state.params.q)}>Search the activities for “{state.params.q}”</Link>
                    </Button>
                  ),
                }
          }
          empty={{
            title: kind === null ? 'No entries yet' : 'No entries of this kind yet',
            description: 'Each event of the log appears here as one entry.',
            action: kind !== null && <Button onClick={() => void setKind(null)}>Show all kinds</Button>,
          }}
        />
      </Tabs>
      {openedEntry !== undefined && (
        <EntryDrawer
          entry={openedEntry}
          onShowRelated={() => showRelatedEvents(openedEntry)}
          onClose={() => setOpenedEntry(undefined)}
        />
      )}
    </>
  );
}
