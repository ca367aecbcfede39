/**
 * A tab of stored mappings (draft, pending, approved, rejected, broken or deleted), with the review verbs for each
 * mapping.
 */

import { hasLevel } from '@rdm/contracts/access/permissions';
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { MappingView } from '@rdm/contracts/crosswalks/mappings';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import type { TabActionsOptions } from '../../../../components/review/actions.ts';
import { ReviewTab, useRemainingRows } from '../../../../components/review/review-tab.tsx';
import {
  type ReviewStatus,
  type RowVerb,
  rowRefusal,
  TAB_HINTS,
  TAB_VERBS,
} from '../../../../components/review/verbs.ts';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { useCurrentUser } from '../../../../lib/auth/index.ts';
import type { LiveUpdates } from '../../../../lib/live/index.tsx';
import { useIsMobile } from '../../../../lib/media/index.ts';
import { useListState } from '../../../../lib/url-state/list-state.ts';
import { freezeMappings, type MappingStatusTab, mappingsQuery, siblingsQuery } from '../../api/mappings.ts';
import { meansOneTarget } from '../definition/definition-labels.ts';
import { ExportItems } from '../exchange/ExportItems.tsx';
import { rowsWarning } from './cardinality-warning.ts';
import { EditMappingDialog } from './EditMappingDialog.tsx';
import { MappingHistory } from './MappingHistory.tsx';
import { GroupsContext, MAPPING_COLUMNS, MAPPING_FILTERS, OneTargetContext } from './mapping-columns.tsx';
import { mappingWords, reviewable } from './review-words.ts';
import { groupBySource } from './siblings.ts';
import { pairText, useMappingReview } from './useMappingReview.tsx';

const EMPTY: Record<MappingStatusTab, { title: string; description: string }> = {
  draft: {
    title: 'No drafts',
    description: 'Accept a suggestion or map a value by hand; drafts stay here until you submit them.',
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
  broken: { title: 'No target is broken', description: 'Mappings whose target no longer exists appear here.' },
  deleted: { title: 'No deleted mappings', description: 'Deleted mappings stay here and can be restored as drafts.' },
};

/**
 * The keyboard shortcuts of each tab. The tab of broken mappings has fewer, because the verbs depend on the status of
 * each row.
 */
const HINTS: Record<MappingStatusTab, string> = { ...TAB_HINTS, broken: 'J K move · E edit · H history' };
const statusOf = (row: MappingView): ReviewStatus => row.status.toLowerCase() as ReviewStatus;
function bulkOf(tab: MappingStatusTab, mayWrite: boolean): TabActionsOptions<MappingView>['bulk'] {
  if (!mayWrite) return { verbs: [], tab: 'draft' };
  return tab === 'broken' ? { verbs: ['delete'], tab: 'draft' } : { verbs: TAB_VERBS[tab], tab };
}

const NO_MAPPINGS: readonly MappingView[] = [];
/** Deleted mappings are sorted by time, newest first. Mappings on other tabs are sorted by source value. */
const DELETED_SORT = { sort: 'updatedAt', order: 'DESC' } as const;
const VALUE_SORT = { sort: 'sourceValue' } as const;

export interface StatusTabProps {
  crosswalk: CrosswalkView;
  tab: MappingStatusTab;
  live: LiveUpdates;
  onUndoable: (action: Undoable) => void;
  /** The action that the empty state of the tab offers. */
  emptyAction: ReactNode;
}

export function StatusTab({ crosswalk, tab, live, onUndoable, emptyAction }: StatusTabProps) {
  const user = useCurrentUser();
  const isMobile = useIsMobile();
  const mayWrite = hasLevel(crosswalk.level, 'WRITE');
  const state = useListState(tab === 'deleted' ? DELETED_SORT : VALUE_SORT);
  const result = useQuery({
    ...mappingsQuery(crosswalk.id, tab, state.params),
    placeholderData: keepPreviousData,
  });
  const warningOf = (verb: RowVerb, selected: readonly MappingView[]) =>
    verb === 'submit' || verb === 'approve' ? rowsWarning(crosswalk, selected, groups) : undefined;
  const review = useMappingReview(crosswalk, tab, onUndoable, warningOf);
  const rows = useRemainingRows(result.data?.items, review);
  // Deleted mappings are not grouped with other mappings of the same source value.
  const groupedRows = tab === 'deleted' ? NO_MAPPINGS : rows;
  const sourceValues = useMemo(() => [...new Set(groupedRows.map((row) => row.sourceValue))], [groupedRows]);
  const siblings = useQuery({ ...siblingsQuery(crosswalk.id, sourceValues), placeholderData: keepPreviousData });
  const groups = useMemo(
    () => groupBySource(groupedRows, siblings.data?.items ?? NO_MAPPINGS),
    [groupedRows, siblings.data],
  );

  return (
    <OneTargetContext value={meansOneTarget(crosswalk.cardinality)}>
      <GroupsContext value={groups}>
        <ReviewTab
          result={result}
          rows={rows}
          grid={{
            label: tab === 'broken' ? 'mappings with a broken target' : `${tab} mappings`,
            entity: `crosswalk:${crosswalk.id}`,
            state,
            columns: MAPPING_COLUMNS[tab],
            inlineActions: !mayWrite || isMobile ? 0 : tab === 'pending' ? 2 : 1,
            selectAll: (params) => freezeMappings(crosswalk.id, tab, params),
            filterFields: MAPPING_FILTERS,
            exports: <ExportItems crosswalkId={crosswalk.id} tab={tab} params={state.params} />,
            live,
            flashAs: 'mapping',
            empty: { ...EMPTY[tab], action: emptyAction },
          }}
          review={review}
          actions={{
            tabOf: (row) => (tab === 'broken' ? statusOf(row) : tab),
            bulk: bulkOf(tab, mayWrite),
            counts: crosswalk.counts,
            words: mappingWords(crosswalk),
            refusalOf: (verb, row) => rowRefusal(verb, reviewable(row), { userId: user.id, level: crosswalk.level }),
            mayWrite: () => mayWrite,
            hasWarning: (verb, row) => warningOf(verb, [row]) !== undefined,
            editLabel: 'Edit target',
          }}
          hint={HINTS[tab]}
          editor={(row, onClose, onSaved) => (
            <EditMappingDialog crosswalk={crosswalk} mapping={row} onClose={onClose} onSaved={onSaved} />
          )}
          labelOf={pairText}
          itemOf={({ id }) => ({ kind: 'mapping', parentId: crosswalk.id, id })}
          history={(row, onRestore, onClose) => (
            <MappingHistory mapping={row} onRestore={onRestore} onClose={onClose} />
          )}
        />
      </GroupsContext>
    </OneTargetContext>
  );
}
