/**
 * One tab of stored mappings: drafts to submit, pending ones to decide, approved ones to revise, rejected and broken
 * ones to correct, deleted ones to restore.
 */

import { hasLevel } from '@rdm/contracts/access/permissions';
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { MappingView } from '@rdm/contracts/crosswalks/mappings';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { DataGrid } from '../../../../components/data-grid/index.ts';
import { NamesOf } from '../../../../components/people/index.tsx';
import { tabActions } from '../../../../components/review/actions.ts';
import { rowVersion } from '../../../../components/review/use-review.tsx';
import {
  type RowVerb,
  rowRefusal,
  type StatusTab as StatusOf,
  TAB_HINTS,
  TAB_VERBS,
} from '../../../../components/review/verbs.ts';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { useCurrentUser } from '../../../../lib/auth/index.ts';
import type { LiveUpdates } from '../../../../lib/live/index.tsx';
import { useIsMobile } from '../../../../lib/media/index.ts';
import { useRowKeys } from '../../../../lib/shortcuts/row-keys.ts';
import { useListState } from '../../../../lib/url-state/list-state.ts';
import { freezeMappings, mappingsQuery, siblingsQuery, type StatusTab as Tab } from '../../api/mappings.ts';
import { meansOneTarget } from '../definition/definition-labels.ts';
import { ExportItems } from '../exchange/ExportItems.tsx';
import { rowsWarning } from './cardinality-warning.ts';
import { EditMappingDialog } from './EditMappingDialog.tsx';
import { MappingHistory } from './MappingHistory.tsx';
import { GroupsContext, MAPPING_COLUMNS, MAPPING_FILTERS, OneTargetContext } from './mapping-columns.tsx';
import { mappingWords, reviewable } from './review-words.ts';
import { groupBySource } from './siblings.ts';
import { useMappingReview } from './useMappingReview.tsx';

const EMPTY: Record<Tab, { title: string; description: string }> = {
  draft: {
    title: 'No drafts',
    description: 'Accept a suggestion or map a value by hand; what you accept waits here until you submit it.',
  },
  pending: { title: 'Nothing is under review', description: 'Submitted mappings wait here for an approver.' },
  approved: {
    title: 'Nothing is approved yet',
    description: 'Approved mappings appear here. The translate API uses them.',
  },
  rejected: {
    title: 'Nothing waits for a correction',
    description: 'Rejected mappings appear here with the reason. After a correction they are drafts.',
  },
  broken: { title: 'No target is broken', description: 'A mapping whose target no row has any more is listed here.' },
  deleted: { title: 'Nothing was deleted', description: 'Deleted mappings stay here and can be restored as drafts.' },
};

/** Mappings of every status may have lost their target: each offers the verbs of its own status. */
const HINTS: Record<Tab, string> = { ...TAB_HINTS, broken: 'J K move · E edit · H history' };
const statusOf = (row: MappingView): StatusOf => row.status.toLowerCase() as StatusOf;
const BULK_OF_BROKEN = { verbs: ['delete'], tab: 'draft' } as const;

const mappingId = (row: MappingView) => row.id;
const NONE: readonly MappingView[] = [];
/** Deleted mappings are sorted by time, newest first; all others by value. */
const sortOf = (tab: Tab) => (tab === 'deleted' ? DELETED_SORT : VALUE_SORT);
const DELETED_SORT = { sort: 'updatedAt', order: 'DESC' } as const;
const VALUE_SORT = { sort: 'sourceValue' } as const;

export interface StatusTabProps {
  crosswalk: CrosswalkView;
  tab: Tab;
  live: LiveUpdates;
  onUndoable: (action: Undoable) => void;
  /** The action of the empty state. */
  next: ReactNode;
}

export function StatusTab({ crosswalk, tab, live, onUndoable, next }: StatusTabProps) {
  const user = useCurrentUser();
  const isMobile = useIsMobile();
  const by = { userId: user.id, level: crosswalk.level };
  const mayWrite = hasLevel(crosswalk.level, 'WRITE');
  const area = useRef<HTMLDivElement>(null);
  const state = useListState(sortOf(tab));
  const result = useQuery({
    ...mappingsQuery(crosswalk.id, tab, state.params),
    placeholderData: keepPreviousData,
  });
  const warningOf = (verb: RowVerb, selected: readonly MappingView[]) =>
    verb === 'submit' || verb === 'approve' ? rowsWarning(crosswalk, selected, groups) : undefined;
  const review = useMappingReview(crosswalk, tab, onUndoable, warningOf);
  const { taken } = review;
  const listed = result.data?.items ?? NONE;
  const rows = useMemo(() => listed.filter((row) => !taken.has(rowVersion(row))), [listed, taken]);
  const data = useMemo(
    () => (result.data === undefined ? undefined : { ...result.data, items: rows }),
    [result.data, rows],
  );
  // Deleted mappings have no siblings.
  const grouped = tab === 'deleted' ? NONE : rows;
  const sourceValues = useMemo(() => [...new Set(grouped.map((row) => row.sourceValue))], [grouped]);
  const siblings = useQuery({ ...siblingsQuery(crosswalk.id, sourceValues), placeholderData: keepPreviousData });
  const groups = useMemo(() => groupBySource(grouped, siblings.data?.items ?? NONE), [grouped, siblings.data]);
  const [editing, setEditing] = useState<MappingView>();
  const [remembered, setRemembered] = useState<MappingView>();

  const actions = tabActions<MappingView>({
    tabOf: (row) => (tab === 'broken' ? statusOf(row) : tab),
    bulk: !mayWrite ? { verbs: [], tab: 'draft' } : tab === 'broken' ? BULK_OF_BROKEN : { verbs: TAB_VERBS[tab], tab },
    words: mappingWords(crosswalk),
    review,
    refusalOf: (verb, row) => rowRefusal(verb, reviewable(row), by),
    isServed: (row) => row.served !== null,
    mayWrite: () => mayWrite,
    isWarnedOf: (verb, row) => warningOf(verb, [row]) !== undefined,
    editLabel: 'Edit target',
    onEdit: setEditing,
    onHistory: setRemembered,
  });
  useRowKeys(area, (letter, rowKey, shift) => {
    const row = rows.find(({ id }) => String(id) === rowKey);
    return row !== undefined && actions.onLetter(letter, row, shift);
  });

  return (
    <div ref={area} className="flex min-h-0 flex-1 flex-col">
      <NamesOf
        ids={rows.flatMap((row) => [row.createdBy, row.updatedBy, row.submittedBy, row.approvedBy, row.rejectedBy])}
      >
        <OneTargetContext value={meansOneTarget(crosswalk.cardinality)}>
          <GroupsContext value={groups}>
            <DataGrid
              label={tab === 'broken' ? 'mappings with a broken target' : `${tab} mappings`}
              entity={`crosswalk:${crosswalk.id}`}
              state={state}
              result={{ ...result, data }}
              columns={MAPPING_COLUMNS[tab]}
              rowId={mappingId}
              rowActions={actions.actionsOf}
              inlineActions={!mayWrite || isMobile ? 0 : tab === 'pending' ? 2 : 1}
              bulkActions={actions.bulk}
              selectAll={(params) => freezeMappings(crosswalk.id, tab, params)}
              onOpen={setRemembered}
              filterFields={MAPPING_FILTERS}
              exports={<ExportItems crosswalkId={crosswalk.id} tab={tab} params={state.params} />}
              live={live}
              flashAs="mapping"
              empty={{ ...EMPTY[tab], action: next }}
            />
          </GroupsContext>
        </OneTargetContext>
      </NamesOf>
      <p className="mt-2 text-muted text-xs max-sm:hidden">{HINTS[tab]}</p>
      {review.dialogs}
      {editing !== undefined && (
        <EditMappingDialog crosswalk={crosswalk} mapping={editing} onClose={() => setEditing(undefined)} />
      )}
      {remembered !== undefined && (
        <MappingHistory
          mapping={remembered}
          onRestore={
            mayWrite
              ? () => {
                  setRemembered(undefined);
                  void review.one('restore', remembered);
                }
              : undefined
          }
          onClose={() => setRemembered(undefined)}
        />
      )}
    </div>
  );
}
