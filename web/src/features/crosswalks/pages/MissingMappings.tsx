/** The page of missing mappings, by default the most requested first. A switch shows the ignored ones instead. */

import { hasLevel } from '@rdm/contracts/access/permissions';
import { CROSSWALK_CONFIDENCE_DEFAULT } from '@rdm/contracts/constants';
import { MISSING_MAPPING_FIELDS } from '@rdm/contracts/crosswalks/list-fields';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ArrowLeftRight, Check, CircleSlash, KeyRound, PencilLine, RotateCcw, X } from 'lucide-react';
import { parseAsBoolean, parseAsInteger, useQueryState } from 'nuqs';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router-dom';
import { CommentDialog } from '../../../components/comment-dialog/index.tsx';
import { type BulkAction, DataGrid, type GridColumn, type RowAction } from '../../../components/data-grid/index.ts';
import { PageHeader } from '../../../components/page/index.tsx';
import { StatusBadge } from '../../../components/status-badge/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Switch } from '../../../components/ui/switch.tsx';
import { type Undoable, UndoBar } from '../../../components/undo-bar/index.tsx';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { useIsMobile } from '../../../lib/media/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import { crosswalkQuery } from '../api/crosswalks.ts';
import { freezeMissing, type MissingMapping, missingMappingPages, missingMappingsQuery } from '../api/missing.ts';
import { valueClasses } from '../components/mappings/mapping-columns.tsx';
import { MapMissingDialog } from '../components/missing/MapMissingDialog.tsx';
import { type ChosenRows, useMissingActions } from '../components/missing/useMissingActions.tsx';
import { reasonNotAcceptable } from '../components/missing/useMissingDrafts.tsx';
import { Confidence } from '../components/suggestions/Confidence.tsx';

const KEYS = [['missing-mappings']];
const missingId = (row: MissingMapping) => row.id;

const COLUMNS: readonly GridColumn<MissingMapping>[] = [
  {
    id: 'sourceValue',
    header: 'Source value',
    cell: (row) => <span className={valueClasses}>{row.sourceValue}</span>,
    value: (row) => row.sourceValue,
    sortable: true,
    required: true,
    minWidth: 110,
  },
  {
    id: 'crosswalkName',
    header: 'Crosswalk',
    cell: (row) => (
      <Link to={`/crosswalks/${row.crosswalkId}/mappings`} className="text-accent hover:underline">
        {row.crosswalkName}
      </Link>
    ),
    value: (row) => row.crosswalkName,
    sortable: true,
    minWidth: 140,
  },
  {
    id: 'requestCount',
    header: 'Requests',
    cell: (row) => formatNumber(row.requestCount),
    value: (row) => row.requestCount,
    sortable: true,
    numeric: true,
    width: 88,
  },
  {
    id: 'suggestion',
    header: 'Best suggestion',
    cell: ({ suggestion, proposed }) =>
      proposed !== null ? (
        <span className="flex items-center gap-2">
          <span className={cn(valueClasses, 'min-w-0 truncate')} title={proposed.targetValue}>
            {proposed.targetValue}
          </span>
          <StatusBadge status={proposed.status} />
        </span>
      ) : suggestion === null || suggestion === undefined ? (
        <span className="text-muted">—</span>
      ) : (
        <span className="flex items-center gap-2" title={suggestion.reason}>
          <span className="min-w-0 truncate">
            <span className={valueClasses}>{suggestion.targetValue}</span>
            <span className="ml-2 text-muted">{suggestion.targetLabel}</span>
          </span>
          <Confidence value={suggestion.confidence} className="ml-auto shrink-0 text-xs" />
        </span>
      ),
    value: (row) => row.proposed?.targetValue ?? row.suggestion?.targetValue,
    minWidth: 190,
  },
  {
    id: 'requestedAt',
    header: 'First requested',
    cell: (row) => <RelativeTime at={row.requestedAt} />,
    value: (row) => row.requestedAt,
    sortable: true,
    width: 124,
  },
  {
    id: 'lastRequestedAt',
    header: 'Last requested',
    cell: (row) => <RelativeTime at={row.lastRequestedAt} />,
    value: (row) => row.lastRequestedAt,
    sortable: true,
    width: 124,
  },
  {
    id: 'requester',
    header: 'Requester',
    cell: (row) =>
      row.requestApiKeyName === null ? (
        (row.requestUsername ?? '—')
      ) : (
        <span
          className="flex items-center gap-1"
          title={`The API key “${row.requestApiKeyName}”${row.requestUsername === null ? '' : `, created by ${row.requestUsername}`}`}
        >
          <KeyRound aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
          <span className="sr-only">API key </span>
          <span className="min-w-0 truncate">{row.requestApiKeyName}</span>
        </span>
      ),
    value: (row) => row.requestApiKeyName ?? row.requestUsername,
    sortable: true,
    width: 132,
  },
  {
    id: 'requestContext',
    header: 'Context',
    cell: ({ requestContext }) => (
      <span className="block truncate" title={requestContext ?? undefined}>
        {requestContext ?? '—'}
      </span>
    ),
    value: (row) => row.requestContext,
    sortable: true,
    width: 120,
  },
  {
    id: 'ignoreReason',
    header: 'Reason for ignoring',
    cell: (row) => row.ignoreReason ?? '—',
    value: (row) => row.ignoreReason,
    sortable: true,
    hidden: true,
    minWidth: 160,
  },
];

/** The first columns on a phone: the value and its suggestion. The other columns follow. */
const NARROW_FIRST = ['sourceValue', 'suggestion'];
const NARROW_COLUMNS = [
  ...COLUMNS.filter(({ id }) => NARROW_FIRST.includes(id)),
  ...COLUMNS.filter(({ id }) => !NARROW_FIRST.includes(id)),
];

const FILTERS = filterFields(MISSING_MAPPING_FIELDS, [
  'sourceValue',
  'crosswalkName',
  'requestCount',
  'requester',
  'requestContext',
]);

const NOTHING_MISSING = {
  title: 'No missing mappings',
  description: 'Every requested value has an approved mapping or is ignored.',
  action: (
    <Button asChild>
      <Link to="/crosswalks">All crosswalks</Link>
    </Button>
  ),
};

const reasonReadOnly = (rows: readonly MissingMapping[]): string | undefined =>
  rows.every((row) => hasLevel(row.level, 'WRITE'))
    ? undefined
    : 'Mapping and ignoring need WRITE on the source data set';

const selectionOf = (row: MissingMapping): ChosenRows => ({ rows: [row], selectionId: undefined, count: 1 });

async function* asSinglePage(rows: readonly MissingMapping[]): AsyncGenerator<readonly MissingMapping[]> {
  yield rows;
}

export default function MissingMappings() {
  const navigate = useNavigate();
  const isMobile = useIsMobile();
  const [crosswalkId, setCrosswalkId] = useQueryState('crosswalk', parseAsInteger);
  const [ignored, setIgnored] = useQueryState('ignored', parseAsBoolean.withDefault(false));
  const [rowToMap, setRowToMap] = useState<MissingMapping>();
  const [rowsToIgnore, setRowsToIgnore] = useState<ChosenRows & { clear: () => void }>();
  const [undoable, setUndoable] = useState<Undoable>();
  const missingActions = useMissingActions(setUndoable);
  const state = useListState({ sort: 'requestCount', order: 'DESC' });
  const limits = { crosswalkId: crosswalkId ?? undefined, ignored };
  const result = useQuery({ ...missingMappingsQuery(state.params, limits), placeholderData: keepPreviousData });
  const crosswalkIds = new Set(result.data?.items.map((row) => row.crosswalkId));
  if (crosswalkId !== null) crosswalkIds.add(crosswalkId);
  const live = useLive({ rooms: [...crosswalkIds].map((id) => `crosswalk:${id}`), keys: KEYS });

  const openIgnoreDialog = (selection: ChosenRows) => setRowsToIgnore({ ...selection, clear: () => undefined });
  const reopen = (selection: ChosenRows) => void missingActions.reopen(selection);

  function accept(row: MissingMapping) {
    if (!row.suggestion) return;
    const { targetValue, confidence } = row.suggestion;
    void missingActions.map(row, { targetValue, confidence, origin: 'SUGGESTION' });
  }

  function actionsOf(row: MissingMapping): readonly RowAction<MissingMapping>[] {
    const readOnlyReason = reasonReadOnly([row]);
    return [
      {
        label: 'Accept the suggestion',
        icon: Check,
        onSelect: accept,
        unavailable: readOnlyReason ?? reasonNotAcceptable(row),
      },
      { label: 'Map now…', icon: PencilLine, onSelect: setRowToMap, unavailable: readOnlyReason },
      row.ignored
        ? {
            label: 'Stop ignoring',
            icon: RotateCcw,
            onSelect: () => reopen(selectionOf(row)),
            unavailable: readOnlyReason,
          }
        : {
            label: 'Ignore…',
            icon: CircleSlash,
            onSelect: () => openIgnoreDialog(selectionOf(row)),
            unavailable: readOnlyReason,
          },
      {
        label: 'Open the crosswalk',
        icon: ArrowLeftRight,
        onSelect: () => void navigate(`/crosswalks/${row.crosswalkId}/mappings`),
      },
    ];
  }

  const bulkActions: readonly BulkAction<MissingMapping>[] = [
    {
      label: 'Accept best suggestions',
      icon: Check,
      onSelect: ({ rows, selectionId, count, clear }) => {
        clear();
        void missingActions.mapAll(
          selectionId === undefined ? asSinglePage(rows) : missingMappingPages(limits, state.params),
          count,
        );
      },
      unavailable: ({ rows, selectionId }) =>
        reasonReadOnly(rows) ??
        (selectionId !== undefined || rows.some((row) => reasonNotAcceptable(row) === undefined)
          ? undefined
          : 'None of the selected values has a suggestion that can be accepted'),
    },
    ignored
      ? {
          label: 'Stop ignoring',
          icon: RotateCcw,
          onSelect: (selection) => {
            selection.clear();
            reopen(selection);
          },
          unavailable: ({ rows }) => reasonReadOnly(rows),
        }
      : {
          label: 'Ignore…',
          icon: CircleSlash,
          onSelect: setRowsToIgnore,
          unavailable: ({ rows }) => reasonReadOnly(rows),
        },
  ];

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="Missing mappings"
        description="Requested values without an approved mapping. A value is removed from the list when its mapping is approved."
      />
      <DataGrid
        label="Missing mappings"
        entity="missing-mappings"
        state={state}
        result={result}
        columns={isMobile ? NARROW_COLUMNS : COLUMNS}
        rowId={missingId}
        rowActions={actionsOf}
        inlineActions={isMobile ? 0 : 2}
        onOpen={(row) =>
          void navigate(`/crosswalks/${row.crosswalkId}/mappings?q=${encodeURIComponent(row.sourceValue)}`)
        }
        bulkActions={bulkActions}
        selectionOf={`${crosswalkId} ${ignored}`}
        selectAll={(params) => freezeMissing(limits, params)}
        filterFields={FILTERS}
        live={live}
        flashAs="missing-mapping"
        actions={
          <>
            {crosswalkId !== null && (
              <CrosswalkLimit crosswalkId={crosswalkId} onShowAll={() => void setCrosswalkId(null)} />
            )}
            <Switch label="Ignored" checked={ignored} onCheckedChange={(on) => void setIgnored(on || null)} />
          </>
        }
        empty={ignored ? { title: 'No ignored values' } : NOTHING_MISSING}
      />
      {rowToMap !== undefined && (
        <MapMissingDialog
          missing={rowToMap}
          onClose={() => setRowToMap(undefined)}
          onMap={(targetValue) => {
            setRowToMap(undefined);
            void missingActions.map(rowToMap, {
              targetValue,
              confidence: CROSSWALK_CONFIDENCE_DEFAULT,
              origin: 'MANUAL',
            });
          }}
        />
      )}
      {rowsToIgnore !== undefined && (
        <IgnoreDialog
          chosen={rowsToIgnore}
          busy={missingActions.busy}
          onConfirm={(reason) =>
            void missingActions.ignore(rowsToIgnore, reason, () => {
              setRowsToIgnore(undefined);
              rowsToIgnore.clear();
            })
          }
          onCancel={() => setRowsToIgnore(undefined)}
        />
      )}
      {missingActions.dialog}
      {undoable !== undefined && <UndoBar action={undoable} onClose={() => setUndoable(undefined)} />}
    </div>
  );
}

/** The name of the crosswalk to which the list is limited, as a button that removes the limit. */
function CrosswalkLimit({ crosswalkId, onShowAll }: { crosswalkId: number; onShowAll: () => void }) {
  const { data: crosswalk } = useQuery(crosswalkQuery(crosswalkId));
  return (
    <Button size="sm" className="max-w-60" onClick={onShowAll}>
      <span className="truncate" title={crosswalk?.name}>
        {crosswalk?.name ?? 'One crosswalk'}
      </span>
      <X aria-label="Show the missing mappings of all crosswalks" />
    </Button>
  );
}

interface IgnoreDialogProps {
  chosen: ChosenRows;
  busy: boolean;
  onConfirm: (reason: string) => void;
  onCancel: () => void;
}

function IgnoreDialog({ chosen: { rows, count }, busy, onConfirm, onCancel }: IgnoreDialogProps) {
  const [row] = rows;
  return (
    <CommentDialog
      title={count === 1 && row !== undefined ? `Ignore ${row.sourceValue}?` : `Ignore ${formatNumber(count)} values?`}
      description="Ignored values are no longer listed as missing. Translation requests for them still find no mapping."
      confirm="Ignore"
      reasonRequired
      busy={busy}
      onConfirm={(reason) => onConfirm(reason ?? '')}
      onCancel={onCancel}
    />
  );
}
