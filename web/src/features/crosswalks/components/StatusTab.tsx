/** One tab of mappings that exist: drafts to submit, pending ones to decide, approved ones to revise, rejected ones to mend. */
import type { CrosswalkView, MappingView } from '@rdm/contracts/crosswalks';
import { hasLevel } from '@rdm/contracts/permissions';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Check, History, type LucideIcon, Pencil, RotateCcw, Send, ShieldX, Trash2, Undo2, X } from 'lucide-react';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { type BulkAction, DataGrid, type RowAction } from '../../../components/data-grid/index.ts';
import type { Undoable } from '../../../components/undo-bar/index.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import type { LiveUpdates } from '../../../lib/live/index.tsx';
import { useIsMobile } from '../../../lib/media/index.ts';
import { useRowKeys } from '../../../lib/shortcuts/row-keys.ts';
import { useListState } from '../../../lib/url-state/list-state.ts';
import {
  freezeMappings,
  type MappingVerb,
  mappingsQuery,
  siblingsQuery,
  type StatusTab as Tab,
} from '../api/mappings.ts';
import { EditMappingDialog } from './EditMappingDialog.tsx';
import { groupBySource } from './grouping.ts';
import { HistoryDrawer } from './HistoryDrawer.tsx';
import { GroupsContext, MAPPING_COLUMNS, MAPPING_FILTERS } from './mapping-columns.tsx';
import { NamesOf } from './names.tsx';
import { rowVersion, useMappingReview } from './useMappingReview.tsx';
import { bulkRefusal, rowRefusal, VERB_WORDS } from './verbs.ts';

const ICONS: Record<MappingVerb, LucideIcon> = {
  submit: Send,
  recall: Undo2,
  approve: Check,
  reject: X,
  revoke: ShieldX,
  discard: RotateCcw,
  delete: Trash2,
  restore: RotateCcw,
};

/** Verbs of each tab, in the order of their use. */
const VERBS: Record<Tab, readonly MappingVerb[]> = {
  draft: ['submit', 'discard', 'delete'],
  pending: ['approve', 'reject', 'recall'],
  approved: ['revoke', 'delete'],
  rejected: ['discard', 'delete'],
};

const EDITABLE: ReadonlySet<Tab> = new Set(['draft', 'approved', 'rejected']);

const LETTERS: Record<Tab, Readonly<Record<string, MappingVerb>>> = {
  draft: { s: 'submit' },
  pending: { a: 'approve', r: 'reject' },
  approved: {},
  rejected: {},
};

const HINTS: Record<Tab, string> = {
  draft: 'J K move · S submit · E edit · H history',
  pending: 'J K move · A approve · R reject · H history',
  approved: 'J K move · E edit · H history',
  rejected: 'J K move · E edit · H history',
};

const EMPTY: Record<Tab, { title: string; description: string }> = {
  draft: {
    title: 'No drafts',
    description: 'Accept a suggestion or map a value by hand; what you accept waits here until you submit it.',
  },
  pending: { title: 'Nothing is under review', description: 'Submitted mappings wait here for an approver.' },
  approved: { title: 'Nothing is approved yet', description: 'What is approved here is what translate answers.' },
  rejected: { title: 'Nothing was rejected', description: 'Rejected mappings come back here with the reason.' },
};

const mappingId = (row: MappingView) => row.id;
const NONE: readonly MappingView[] = [];

export interface StatusTabProps {
  crosswalk: CrosswalkView;
  tab: Tab;
  live: LiveUpdates;
  onUndoable: (action: Undoable) => void;
  /** Offered while the tab holds nothing. */
  next: ReactNode;
}

export function StatusTab({ crosswalk, tab, live, onUndoable, next }: StatusTabProps) {
  const user = useCurrentUser();
  const isMobile = useIsMobile();
  const by = { userId: user.id, level: crosswalk.level };
  const mayWrite = hasLevel(crosswalk.level, 'WRITE');
  const area = useRef<HTMLDivElement>(null);
  const state = useListState({ sort: 'sourceValue' });
  const result = useQuery({
    ...mappingsQuery(crosswalk.id, tab, state.params),
    placeholderData: keepPreviousData,
  });
  const review = useMappingReview(crosswalk, tab, onUndoable);
  const { taken } = review;
  const listed = result.data?.items ?? NONE;
  const rows = useMemo(() => listed.filter((row) => !taken.has(rowVersion(row))), [listed, taken]);
  const data = useMemo(
    () => (result.data === undefined ? undefined : { ...result.data, items: rows }),
    [result.data, rows],
  );
  const sourceValues = useMemo(() => [...new Set(rows.map((row) => row.sourceValue))], [rows]);
  const siblings = useQuery({ ...siblingsQuery(crosswalk.id, sourceValues), placeholderData: keepPreviousData });
  const groups = useMemo(() => groupBySource(rows, siblings.data?.items ?? NONE), [rows, siblings.data]);
  const [editing, setEditing] = useState<MappingView>();
  const [remembered, setRemembered] = useState<MappingView>();

  useRowKeys(area, (letter, rowKey) => {
    const row = rows.find(({ id }) => String(id) === rowKey);
    if (row === undefined) return false;
    const verb = LETTERS[tab][letter];
    if (letter === 'h') setRemembered(row);
    else if (letter === 'e' && EDITABLE.has(tab) && rowRefusal('edit', row, by) === undefined) setEditing(row);
    else if (verb !== undefined && rowRefusal(verb, row, by) === undefined) act(verb, row);
    else return false;
    return true;
  });

  /** What needs a reason, or goes far, asks first; the rest is one key. */
  function act(verb: MappingVerb, row: MappingView) {
    if (verb === 'submit' || verb === 'approve' || verb === 'recall' || verb === 'delete') void review.one(verb, row);
    else review.ask(verb, { rows: [row], selectionId: undefined, count: 1, clear: () => undefined });
  }

  function actionsOf(row: MappingView): readonly RowAction<MappingView>[] {
    const history: RowAction<MappingView> = { label: 'History', icon: History, onSelect: setRemembered };
    if (!mayWrite) return [history];
    const verbs = VERBS[tab]
      // A candidate is discarded, any other draft deleted: only one of the two is ever sensible.
      .filter((verb) => verb !== 'discard' || row.served !== null)
      .filter((verb) => verb !== 'delete' || row.served === null || tab === 'approved')
      .map(
        (verb): RowAction<MappingView> => ({
          label: verb === 'delete' && tab === 'approved' ? 'Request deletion' : VERB_WORDS[verb].action,
          icon: ICONS[verb],
          onSelect: () => act(verb, row),
          unavailable: rowRefusal(verb, row, by),
          destructive: VERB_WORDS[verb].destructive ?? false,
        }),
      );
    const edit: RowAction<MappingView> = {
      label: 'Edit target',
      icon: Pencil,
      onSelect: setEditing,
      unavailable: rowRefusal('edit', row, by),
    };
    return tab === 'approved' || tab === 'rejected'
      ? [edit, ...verbs, history]
      : [...verbs.slice(0, 1), ...(EDITABLE.has(tab) ? [edit] : []), ...verbs.slice(1), history];
  }

  const bulk: readonly BulkAction<MappingView>[] = mayWrite
    ? VERBS[tab]
        .filter((verb) => verb !== 'discard')
        .map((verb) => ({
          label: verb === 'delete' && tab === 'approved' ? 'Request deletion' : VERB_WORDS[verb].action,
          icon: ICONS[verb],
          destructive: VERB_WORDS[verb].destructive ?? false,
          onSelect: (selection) => review.ask(verb, selection),
          unavailable: ({ rows: chosen, selectionId }) =>
            selectionId === undefined ? bulkRefusal(verb, chosen, by) : undefined,
        }))
    : [];

  return (
    <div ref={area} className="flex min-h-0 flex-1 flex-col">
      <NamesOf ids={rows.flatMap((row) => [row.createdBy, row.submittedBy, row.approvedBy, row.rejectedBy])}>
        <GroupsContext value={groups}>
          <DataGrid
            label={`${tab} mappings`}
            state={state}
            result={{ ...result, data }}
            columns={MAPPING_COLUMNS[tab]}
            rowId={mappingId}
            rowActions={actionsOf}
            inlineActions={!mayWrite || isMobile ? 0 : tab === 'pending' ? 2 : 1}
            bulkActions={bulk}
            selectAll={(params) => freezeMappings(crosswalk.id, tab, params)}
            onOpen={setRemembered}
            filterFields={MAPPING_FILTERS}
            live={live}
            flashAs="mapping"
            empty={{ ...EMPTY[tab], action: next }}
          />
        </GroupsContext>
      </NamesOf>
      <p className="mt-2 text-muted text-xs max-sm:hidden">{HINTS[tab]}</p>
      {review.dialogs}
      {editing !== undefined && (
        <EditMappingDialog crosswalk={crosswalk} mapping={editing} onClose={() => setEditing(undefined)} />
      )}
      {remembered !== undefined && <HistoryDrawer mapping={remembered} onClose={() => setRemembered(undefined)} />}
    </div>
  );
}
