/** Unmapped values with their candidates: the user accepts a candidate or types the target. */

import { hasLevel } from '@rdm/contracts/access/permissions';
import { CROSSWALK_CONFIDENCE_DEFAULT } from '@rdm/contracts/constants';
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { UNMAPPED_VALUE_FIELDS } from '@rdm/contracts/crosswalks/list-fields';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Check, CheckCheck, type LucideIcon, X } from 'lucide-react';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { type BulkAction, DataGrid, type GridColumn, type RowAction } from '../../../../components/data-grid/index.ts';
import { Button } from '../../../../components/ui/button.tsx';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { filterFields } from '../../../../lib/filters/filter-fields.ts';
import type { LiveUpdates } from '../../../../lib/live/index.tsx';
import { useIsMobile } from '../../../../lib/media/index.ts';
import { useIsPast } from '../../../../lib/past/index.ts';
import { useRowKeys } from '../../../../lib/shortcuts/row-keys.ts';
import { type ListParams, useListState } from '../../../../lib/url-state/list-state.ts';
import { statisticsQuery } from '../../api/crosswalks.ts';
import {
  candidatesQuery,
  mappingsQuery,
  type SuggestedMapping,
  suggestionsQuery,
  unmappedQuery,
} from '../../api/mappings.ts';
import { ExportItems } from '../exchange/ExportItems.tsx';
import { Value } from '../mappings/mapping-columns.tsx';
import { AcceptAllDialog } from './AcceptAllDialog.tsx';
import { pairOf, pairsOf } from './acceptance.ts';
import {
  type Candidate,
  Candidates,
  isHidden,
  WorklistContext,
  type WorklistContextValue,
  type WorklistRow,
} from './Candidates.tsx';
import { ComparisonProgress } from './ComparisonProgress.tsx';
import { useAcceptance } from './useAcceptance.tsx';
import { useDismissal } from './useDismissal.tsx';

const COLUMNS: readonly GridColumn<WorklistRow>[] = [
  {
    id: 'sourceValue',
    header: 'Source',
    cell: (row) => (
      <span data-row-key={row.sourceValue}>
        <Value value={row.sourceValue} label={row.sourceLabel} />
      </span>
    ),
    value: (row) => row.sourceValue,
    sortable: true,
    required: true,
    width: 220,
    wrap: true,
  },
  {
    id: 'candidates',
    header: 'Candidates',
    cell: (row) => <Candidates row={row} />,
    value: (row) => row.candidates[0]?.targetValue ?? '',
    required: true,
    minWidth: 320,
    wrap: true,
  },
];

/** The columns on a phone, where the candidates are below their value. */
const NARROW_COLUMNS: readonly GridColumn<WorklistRow>[] = [
  {
    id: 'sourceValue',
    header: 'Source and candidates',
    cell: (row) => (
      <div data-row-key={row.sourceValue} className="flex flex-col gap-1.5 py-1">
        <span>
          <Value value={row.sourceValue} label={row.sourceLabel} />
        </span>
        <Candidates row={row} />
      </div>
    ),
    value: (row) => row.sourceValue,
    sortable: true,
    required: true,
    minWidth: 200,
    wrap: true,
  },
];

const FILTERS = filterFields(UNMAPPED_VALUE_FIELDS);

/** Pairs each value with its best candidate. Omits values without candidates. */
const bestPairsOf = (rows: readonly WorklistRow[]) =>
  rows.flatMap(({ sourceValue, candidates: [best] }) =>
    best === undefined ? [] : [{ sourceValue, targetValue: best.targetValue }],
  );

/** A bulk action on the best candidates of the selected values. */
const bestCandidatesAction = (
  label: string,
  icon: LucideIcon,
  run: (rows: readonly WorklistRow[]) => Promise<void>,
): BulkAction<WorklistRow> => ({
  label,
  icon,
  onSelect: ({ rows, clear }) => {
    clear();
    void run(rows);
  },
  unavailable: ({ rows }) =>
    rows.some((row) => row.candidates.length > 0) ? undefined : 'None of the selected values has a candidate',
});

const EMPTY = {
  unmapped: {
    title: 'Every source value is mapped',
    description: 'New values of the source appear here automatically.',
  },
  suggested: {
    title: 'No suggestions',
    description:
      'Every source value is mapped, or no target is similar. The tab Unmapped lists values without a mapping.',
  },
};

const noSourceRows = ({ sourceSystemId, sourceName }: CrosswalkView) => ({
  title: `${sourceName} has no rows yet`,
  description: 'Its values appear here as soon as it has rows.',
  action: (
    <Button asChild>
      <Link to={`/reference-data/${sourceSystemId}`}>Open {sourceName}</Link>
    </Button>
  ),
});

const sourceOf = (row: Pick<WorklistRow, 'sourceValue'>) => row.sourceValue;

/** Loads the rows of the tab Suggested with their best candidates, and then all candidates of these rows. */
function useSuggestions(crosswalk: CrosswalkView, params: ListParams, enabled: boolean) {
  const result = useQuery({
    ...mappingsQuery<SuggestedMapping>(crosswalk.id, 'suggested', params),
    placeholderData: keepPreviousData,
    enabled,
  });
  const values = useMemo(() => result.data?.items.map(sourceOf) ?? [], [result.data]);
  const allCandidates = useQuery({ ...candidatesQuery(crosswalk.id, values), placeholderData: keepPreviousData });
  const data = useMemo(() => {
    if (result.data === undefined) return undefined;
    const candidatesByValue = new Map(allCandidates.data?.items.map((row) => [row.sourceValue, row.candidates]));
    const items = result.data.items.map(
      ({ sourceValue, sourceLabel, targetValue, targetLabel, confidence, reason }): WorklistRow => ({
        sourceValue,
        sourceLabel,
        candidates: candidatesByValue.get(sourceValue) ?? [{ targetValue, targetLabel, confidence, reason }],
        isIncomplete: allCandidates.isFetching && !candidatesByValue.has(sourceValue),
      }),
    );
    return { ...result.data, items };
  }, [result.data, allCandidates.data, allCandidates.isFetching]);
  return { ...result, data };
}

/**
 * Loads the values of the tab; for the tab Suggested, also the progress of the comparison. Values of the past have no
 * candidates.
 */
function useValueList(crosswalk: CrosswalkView, tab: WorklistProps['tab'], params: ListParams) {
  const isPast = useIsPast();
  const unmapped = useQuery({
    ...(isPast ? unmappedQuery : suggestionsQuery)(crosswalk.id, params),
    placeholderData: keepPreviousData,
    enabled: tab === 'unmapped',
  });
  const suggested = useSuggestions(crosswalk, params, tab === 'suggested');
  return { valueList: tab === 'unmapped' ? unmapped : suggested, progress: suggested.data?.progress ?? null };
}

export interface WorklistProps {
  crosswalk: CrosswalkView;
  tab: 'unmapped' | 'suggested';
  live: LiveUpdates;
  onUndoable: (action: Undoable) => void;
  emptyAction: ReactNode;
}

const HINT = 'J K move · A accept · R dismiss · O all candidates · 1–5 accept a candidate · T type a target';

export function Worklist({ crosswalk, tab, live, onUndoable, emptyAction }: WorklistProps) {
  const mayWrite = hasLevel(crosswalk.level, 'WRITE');
  const isMobile = useIsMobile();
  const area = useRef<HTMLDivElement>(null);
  const state = useListState({ sort: 'sourceValue' });
  const isPast = useIsPast();
  const { valueList, progress } = useValueList(crosswalk, tab, state.params);
  const statistics = useQuery({ ...statisticsQuery(crosswalk.id), enabled: !isPast });
  const acceptance = useAcceptance(crosswalk, onUndoable);
  const dismissal = useDismissal(crosswalk.id, onUndoable);
  const [openPickerValue, setOpenPickerValue] = useState<string>();
  const [expandedValues, setExpandedValues] = useState<ReadonlySet<string>>(new Set());
  const [isAcceptingAll, setIsAcceptingAll] = useState(false);
  const toggle = (value: string) =>
    setExpandedValues(
      (values) => new Set(values.has(value) ? [...values].filter((other) => other !== value) : [...values, value]),
    );

  // Values accepted one at a time and dismissed candidates are hidden immediately, and displayed again after a failure.
  const { hiddenValues } = acceptance;
  const { isDismissed } = dismissal;
  const data = useMemo(() => {
    if (valueList.data === undefined) return undefined;
    const remainingItems = valueList.data.items.flatMap((row: WorklistRow): WorklistRow[] => {
      if (hiddenValues.has(row.sourceValue)) return [];
      const candidates = row.candidates.filter(({ targetValue }) => !isDismissed({ ...row, targetValue }));
      // A row stays while its other candidates are loading, so that the focus does not move to another row.
      const isFinished = tab === 'suggested' && candidates.length === 0 && !row.isIncomplete;
      return isFinished ? [] : [{ ...row, candidates }];
    });
    return { ...valueList.data, items: remainingItems };
  }, [valueList.data, hiddenValues, isDismissed, tab]);

  const acceptCandidate = (row: WorklistRow, candidate: Candidate) =>
    void acceptance.acceptOne(pairOf(row.sourceValue, candidate));
  const contextValue: WorklistContextValue = {
    crosswalk,
    mayWrite,
    acceptCandidate,
    acceptTarget: ({ sourceValue }, targetValue) =>
      void acceptance.acceptOne({
        sourceValue,
        targetValue,
        confidence: CROSSWALK_CONFIDENCE_DEFAULT,
        origin: 'MANUAL',
      }),
    openPickerValue,
    setOpenPickerValue,
    expandedValues,
    toggle,
  };

  useRowKeys(area, (pressedKey, rowKey) => {
    const row = data?.items.find(({ sourceValue }) => sourceValue === rowKey);
    if (row === undefined || !mayWrite) return false;
    if (pressedKey === 't' || pressedKey === 'o') {
      (pressedKey === 't' ? setOpenPickerValue : toggle)(row.sourceValue);
      return true;
    }
    if (pressedKey === 'r') {
      if (row.candidates.length > 0) void dismissal.dismiss(bestPairsOf([row]));
      return row.candidates.length > 0;
    }
    const index = pressedKey === 'a' ? 0 : Number.parseInt(pressedKey, 10) - 1;
    const candidate = row.candidates[index];
    if (candidate === undefined) return false;
    // If the candidate is hidden, the first key press shows it, and the second key press accepts it.
    const keyElement = area.current?.querySelector(`[data-row-key="${CSS.escape(rowKey)}"]`);
    if (isHidden(keyElement?.closest('[data-row]'), index)) {
      toggle(row.sourceValue);
      return true;
    }
    acceptCandidate(row, candidate);
    return true;
  });

  const actionsOf = (row: WorklistRow): readonly RowAction<WorklistRow>[] => {
    if (!mayWrite) return [];
    const [best] = row.candidates;
    return [
      {
        label: 'Accept',
        icon: Check,
        onSelect: () => best !== undefined && acceptCandidate(row, best),
        unavailable: best === undefined ? 'There is no candidate: type a target' : undefined,
      },
      {
        label: 'Dismiss suggestion',
        icon: X,
        onSelect: () => void dismissal.dismiss(bestPairsOf([row])),
        unavailable: best === undefined ? 'There is no candidate to dismiss' : undefined,
      },
      ...(row.candidates.length > 1
        ? [
            {
              label: `Dismiss all ${row.candidates.length} candidates`,
              icon: X,
              onSelect: () => void dismissal.dismiss(row.candidates.map((candidate) => ({ ...row, ...candidate }))),
            },
          ]
        : []),
      { label: 'Type a target…', onSelect: () => setOpenPickerValue(row.sourceValue) },
    ];
  };

  return (
    <div ref={area} className="flex min-h-0 flex-1 flex-col">
      <WorklistContext value={contextValue}>
        {tab === 'suggested' && <ComparisonProgress progress={progress} />}
        <DataGrid
          label={`${tab} values`}
          exports={<ExportItems crosswalkId={crosswalk.id} tab={tab} params={state.params} />}
          state={state}
          result={{ ...valueList, data }}
          columns={isMobile ? NARROW_COLUMNS : COLUMNS}
          rowId={sourceOf}
          rowActions={actionsOf}
          inlineActions={mayWrite ? 1 : 0}
          bulkActions={
            mayWrite
              ? [
                  bestCandidatesAction('Accept best candidates', Check, (rows) => acceptance.acceptMany(pairsOf(rows))),
                  bestCandidatesAction('Dismiss best candidates', X, (rows) => dismissal.dismiss(bestPairsOf(rows))),
                ]
              : []
          }
          actions={
            mayWrite &&
            valueList.data?.total !== 0 && (
              <Button onClick={() => setIsAcceptingAll(true)}>
                <CheckCheck />
                Accept all…
              </Button>
            )
          }
          filterFields={FILTERS}
          hint={mayWrite ? HINT : undefined}
          live={live}
          empty={statistics.data?.sourceRows === 0 ? noSourceRows(crosswalk) : { ...EMPTY[tab], action: emptyAction }}
        />
      </WorklistContext>
      {isAcceptingAll && (
        <AcceptAllDialog
          crosswalk={crosswalk}
          onClose={() => setIsAcceptingAll(false)}
          onAccept={(pairs, note, remaining) => {
            setIsAcceptingAll(false);
            void acceptance.acceptMany(pairs, note, remaining);
          }}
        />
      )}
      {acceptance.dialog}
      {dismissal.dialog}
    </div>
  );
}
