/**
 * A tab of values (draft, pending, approved, rejected, broken or deleted), with the review verbs for each value.
 */

import { hasLevel } from '@rdm/contracts/access/permissions';
import type { AttributeView, RelationshipView } from '@rdm/contracts/relationships/relationships';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { ReviewTab, useRemainingRows } from '../../../../components/review/review-tab.tsx';
import { type RowVerb, rowRefusal, TAB_HINTS, TAB_VERBS, VERB_WORDS } from '../../../../components/review/verbs.ts';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { useCurrentUser } from '../../../../lib/auth/index.ts';
import { definitionRooms } from '../../../../lib/definitions/index.ts';
import { useLive } from '../../../../lib/live/index.tsx';
import { useIsMobile } from '../../../../lib/media/index.ts';
import { useListState } from '../../../../lib/url-state/list-state.ts';
import { relationshipKey, relationshipsKey } from '../../api/relationships.ts';
import { relationshipsByIdsQuery, type ValueRow, type ValueTab, valuesQuery } from '../../api/values.ts';
import { ExportItems } from '../ExportItems.tsx';
import { pairText, reviewable, statusTab } from '../review-words.ts';
import { useValueReview } from './useValueReview.tsx';
import { ValueDialog } from './ValueDialog.tsx';
import { ValueHistory } from './ValueHistory.tsx';
import { valueColumns, valueFilters } from './value-columns.tsx';

const EMPTY: Record<ValueTab, { title: string; description: string }> = {
  draft: { title: 'No drafts', description: 'Added and imported values appear here until they are submitted.' },
  pending: { title: 'Nothing is under review', description: 'Submitted values wait here for an approver.' },
  approved: {
    title: 'Nothing is approved yet',
    description: 'Approved values appear here. They are the current content of the relationship.',
  },
  rejected: { title: 'Nothing was rejected', description: 'Rejected values appear here with the reason.' },
  broken: { title: 'Nothing is broken', description: 'A value whose source or target row was deleted appears here.' },
  deleted: { title: 'No deleted values', description: 'Deleted values stay here and can be restored as drafts.' },
};

/** The verbs for broken values. Depending on the status of a value, a deletion is immediate or reviewed. */
const BROKEN_VERBS: readonly RowVerb[] = ['recall', 'delete'];

const NO_VALUES: readonly ValueRow[] = [];
/** Deleted values are sorted by time, newest first. Values on other tabs are sorted by the key of the source row. */
const DELETED_SORT = { sort: 'updatedAt', order: 'DESC' } as const;
const KEY_SORT = { sort: 'sourceKey' } as const;

export interface ValuesTabProps {
  /** The relationship of the values; undefined if the list contains values of several relationships. */
  relationship?: RelationshipView;
  tab: ValueTab;
  onUndoable: (action: Undoable) => void;
  /** The action that the empty state of the tab offers. */
  emptyAction: ReactNode;
}

export function ValuesTab({ relationship, tab, onUndoable, emptyAction }: ValuesTabProps) {
  const user = useCurrentUser();
  const isMobile = useIsMobile();
  const scope = relationship?.id ?? 'all';
  const state = useListState(tab === 'deleted' ? DELETED_SORT : KEY_SORT);
  const result = useQuery({ ...valuesQuery(scope, tab, state.params), placeholderData: keepPreviousData });
  const { definitionOf, live } = useDefinitions(relationship, result.data?.items ?? NO_VALUES);
  const review = useValueReview(relationship?.id, tab, onUndoable);
  const rows = useRemainingRows(result.data?.items, review);
  const { columns, filters } = useColumns(tab, relationship?.attributes);

  const mayWrite = (row: ValueRow) => hasLevel(definitionOf(row)?.level ?? null, 'WRITE');
  const mayWriteAny = relationship === undefined ? rows.some(mayWrite) : hasLevel(relationship.level, 'WRITE');

  return (
    <ReviewTab
      result={result}
      rows={rows}
      grid={{
        label: `${tab} values`,
        entity: relationship === undefined ? 'relationship-values' : `relationship:${relationship.id}`,
        state,
        columns,
        inlineActions: !mayWriteAny || isMobile || tab === 'broken' ? 0 : tab === 'pending' ? 2 : 1,
        selectAll: review.freeze,
        filterFields: filters,
        ...(relationship !== undefined && {
          exports: <ExportItems relationshipId={relationship.id} tab={tab} params={state.params} />,
        }),
        live,
        flashAs: 'relationship-value',
        empty: { ...EMPTY[tab], action: emptyAction },
      }}
      review={review}
      actions={{
        tabOf: statusTab,
        bulk: {
          verbs: !mayWriteAny ? [] : tab === 'broken' ? BROKEN_VERBS : TAB_VERBS[tab],
          tab: tab === 'broken' ? 'draft' : tab,
        },
        counts: relationship?.counts,
        words: VERB_WORDS,
        refusalOf: (verb, row) =>
          rowRefusal(verb, reviewable(row), { userId: user.id, level: definitionOf(row)?.level ?? null }),
        mayWrite,
        editLabel: 'Edit',
      }}
      hint={tab === 'broken' ? undefined : TAB_HINTS[tab]}
      editor={(row, onClose, onSaved) => {
        const definition = definitionOf(row);
        return definition && <ValueDialog relationship={definition} value={row} onClose={onClose} onSaved={onSaved} />;
      }}
      labelOf={pairText}
      itemOf={({ id, relationshipId: parentId }) => ({ kind: 'relationship-value', parentId, id })}
      history={(row, onRestore, onClose) => <ValueHistory value={row} onRestore={onRestore} onClose={onClose} />}
    />
  );
}

/** The live rooms of a relationship. The rooms of the data sets are included, because deleted rows break values. */
const valueRooms = ({ id, sourceDataSetId, targetDataSetId }: RelationshipView): string[] => [
  ...new Set([`relationship:${id}`, `data-set:${sourceDataSetId}`, `data-set:${targetDataSetId}`]),
];

/** Returns the live changes, and `definitionOf`: the relationship of a row, or undefined while loading. */
function useDefinitions(relationship: RelationshipView | undefined, rows: readonly ValueRow[]) {
  const ids = [...new Set(rows.map((row) => row.relationshipId))].sort((a, b) => a - b);
  const relationships = useQuery({
    ...relationshipsByIdsQuery(ids),
    enabled: relationship === undefined && ids.length > 0,
    placeholderData: keepPreviousData,
  });
  const live = useLive(
    relationship === undefined
      ? { rooms: definitionRooms('relationship', ids), keys: [relationshipsKey] }
      : { rooms: valueRooms(relationship), keys: [relationshipKey(relationship.id)] },
  );
  const definitionsById = new Map(relationships.data?.items.map((item) => [item.id, item]));
  return { definitionOf: (row: ValueRow) => relationship ?? definitionsById.get(row.relationshipId), live };
}

/** Returns the same arrays of columns and filters while tab and attributes do not change. */
function useColumns(tab: ValueTab, attributes: readonly AttributeView[] | undefined) {
  return useMemo(
    () => ({ columns: valueColumns(tab, attributes), filters: valueFilters(attributes) }),
    [tab, attributes],
  );
}
