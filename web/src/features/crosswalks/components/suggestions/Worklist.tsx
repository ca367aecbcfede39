/** Unmapped values with their candidates: accepts one by a key, selects another, or lets the user type the target. */

import { hasLevel } from '@rdm/contracts/access/permissions';
import { CROSSWALK_CONFIDENCE_DEFAULT } from '@rdm/contracts/constants';
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { UNMAPPED_VALUE_FIELDS } from '@rdm/contracts/crosswalks/list-fields';
import type { SuggestionView } from '@rdm/contracts/crosswalks/mappings';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Check, CheckCheck, X } from 'lucide-react';
import { createContext, type ReactNode, useContext, useMemo, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { DataGrid, type GridColumn, type RowAction } from '../../../../components/data-grid/index.ts';
import { Button } from '../../../../components/ui/button.tsx';
import { cn } from '../../../../components/ui/cn.ts';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { filterFields } from '../../../../lib/filters/filter-fields.ts';
import type { LiveUpdates } from '../../../../lib/live/index.tsx';
import { useIsMobile } from '../../../../lib/media/index.ts';
import { useIsPast } from '../../../../lib/past/index.ts';
import { ignoreRepeats } from '../../../../lib/pointer/index.ts';
import { useRowKeys } from '../../../../lib/shortcuts/row-keys.ts';
import { useListState } from '../../../../lib/url-state/list-state.ts';
import { statisticsQuery } from '../../api/crosswalks.ts';
import {
  candidatesQuery,
  mappingsQuery,
  type SuggestedMapping,
  suggestionsQuery,
  unmappedQuery,
} from '../../api/mappings.ts';
import { ExportItems } from '../exchange/ExportItems.tsx';
import { Value, valueClasses } from '../mappings/mapping-columns.tsx';
import { AcceptAllDialog } from './AcceptAllDialog.tsx';
import { pairOf } from './acceptance.ts';
import { ComparisonProgress } from './ComparisonProgress.tsx';
import { Confidence } from './Confidence.tsx';
import { TargetPicker } from './TargetPicker.tsx';
import { useAcceptance } from './useAcceptance.tsx';
import { useDismissal } from './useDismissal.tsx';

/** The number of candidates that have a key. */
const PICKABLE = 5;

type Candidate = SuggestionView['candidates'][number];

interface Work {
  crosswalk: CrosswalkView;
  mayWrite: boolean;
  pick: (row: SuggestionView, candidate: Candidate) => void;
  type: (row: SuggestionView, targetValue: string) => void;
  /** The source value whose target is being typed. */
  typing: string | undefined;
  setTyping: (sourceValue: string | undefined) => void;
}

const WorkContext = createContext<Work | undefined>(undefined);

function Candidates({ row }: { row: SuggestionView }) {
  const work = useContext(WorkContext);
  if (work === undefined) return null;
  const { crosswalk, mayWrite, typing } = work;
  const isPast = useIsPast();
  const shown = row.candidates.slice(0, PICKABLE);
  return (
    <div className="flex flex-wrap items-center gap-1">
      {shown.map((candidate, index) => (
        <CandidateButton
          key={candidate.targetValue}
          candidate={candidate}
          place={index + 1}
          disabled={!mayWrite}
          onPick={() => work.pick(row, candidate)}
        />
      ))}
      {shown.length === 0 && (
        <span className="text-muted">{isPast ? 'Suggestions have no past.' : 'No similar target.'}</span>
      )}
      {mayWrite && (
        <TargetPicker
          crosswalk={crosswalk}
          quiet
          size="sm"
          value={undefined}
          placeholder={shown.length === 0 ? 'Type a target…' : 'Another…'}
          open={typing === row.sourceValue}
          onOpenChange={(open) => work.setTyping(open ? row.sourceValue : undefined)}
          onValueChange={(targetValue) => work.type(row, targetValue)}
        />
      )}
    </div>
  );
}

interface CandidateButtonProps {
  candidate: Candidate;
  place: number;
  disabled: boolean;
  onPick: () => void;
}

function CandidateButton({ candidate, place, disabled, onPick }: CandidateButtonProps) {
  const { targetValue, targetLabel, confidence, reason } = candidate;
  return (
    <button
      type="button"
      tabIndex={-1}
      disabled={disabled}
      onClick={ignoreRepeats('pick', onPick)}
      title={`${reason}, confidence ${Math.round(confidence)}`}
      className={cn(
        'inline-flex max-w-full items-center gap-2 rounded-md border px-2 py-0.5 text-left hover:border-accent hover:bg-accent-soft disabled:cursor-default',
        place === 1 ? 'border-control bg-surface' : 'border-hairline bg-transparent',
      )}
    >
      <span className="font-mono text-muted text-xs">{place}</span>
      <span className="min-w-0 truncate">
        <span className={valueClasses}>{targetValue}</span>
        {targetLabel !== null && <span className="ml-1.5 text-muted">{targetLabel}</span>}
      </span>
      <Confidence value={confidence} className="text-xs" />
      {place === 1 && (
        // The reason may contain labels: the title shows it completely.
        <span className="line-clamp-2 max-w-96 shrink-0 text-muted text-xs max-lg:hidden">{reason}</span>
      )}
    </button>
  );
}

const COLUMNS: readonly GridColumn<SuggestionView>[] = [
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

/** On a phone the candidates are below their value. */
const NARROW_COLUMNS: readonly GridColumn<SuggestionView>[] = [
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

/** The best candidate of each value that has one, as pairs. */
const bestOf = (rows: readonly SuggestionView[]) =>
  rows.flatMap(({ sourceValue, candidates: [best] }) =>
    best === undefined ? [] : [{ sourceValue, targetValue: best.targetValue }],
  );

const sourceOf = (row: Pick<SuggestionView, 'sourceValue'>) => row.sourceValue;

/** The rows of the tab Suggested contain the best candidate; the others are loaded separately. */
function useSuggestions(crosswalk: CrosswalkView, params: Parameters<typeof suggestionsQuery>[1], enabled: boolean) {
  const result = useQuery({
    ...mappingsQuery<SuggestedMapping>(crosswalk.id, 'suggested', params),
    placeholderData: keepPreviousData,
    enabled,
  });
  const values = useMemo(() => result.data?.items.map(sourceOf) ?? [], [result.data]);
  const more = useQuery({ ...candidatesQuery(crosswalk.id, values), placeholderData: keepPreviousData });
  const data = useMemo(() => {
    if (result.data === undefined) return undefined;
    const known = new Map(more.data?.items.map((row) => [row.sourceValue, row.candidates]));
    const items = result.data.items.map(
      ({ sourceValue, sourceLabel, targetValue, targetLabel, confidence, reason }): SuggestionView => ({
        sourceValue,
        sourceLabel,
        candidates: known.get(sourceValue) ?? [{ targetValue, targetLabel, confidence, reason }],
      }),
    );
    return { ...result.data, items };
  }, [result.data, more.data]);
  return { ...result, data };
}

export interface WorklistProps {
  crosswalk: CrosswalkView;
  tab: 'unmapped' | 'suggested';
  live: LiveUpdates;
  onUndoable: (action: Undoable) => void;
  next: ReactNode;
}

export function Worklist({ crosswalk, tab, live, onUndoable, next }: WorklistProps) {
  const mayWrite = hasLevel(crosswalk.level, 'WRITE');
  const isMobile = useIsMobile();
  const area = useRef<HTMLDivElement>(null);
  const state = useListState({ sort: 'sourceValue' });
  const isPast = useIsPast();
  const unmapped = useQuery({
    ...(isPast ? unmappedQuery : suggestionsQuery)(crosswalk.id, state.params),
    placeholderData: keepPreviousData,
    enabled: tab === 'unmapped',
  });
  const suggested = useSuggestions(crosswalk, state.params, tab === 'suggested');
  const listed = tab === 'unmapped' ? unmapped : suggested;
  const statistics = useQuery({ ...statisticsQuery(crosswalk.id), enabled: !isPast });
  const acceptance = useAcceptance(crosswalk, onUndoable);
  const dismissal = useDismissal(crosswalk.id, onUndoable);
  const [typing, setTyping] = useState<string>();
  const [acceptingAll, setAcceptingAll] = useState(false);

  // Accepted or dismissed rows are hidden immediately; rejected ones are displayed again.
  const { taken } = acceptance;
  const { isGone } = dismissal;
  const data = useMemo(() => {
    if (listed.data === undefined) return undefined;
    const left = listed.data.items.flatMap((row): SuggestionView[] => {
      if (taken.has(row.sourceValue)) return [];
      const candidates = row.candidates.filter(({ targetValue }) => !isGone({ ...row, targetValue }));
      return candidates.length === 0 && tab === 'suggested' ? [] : [{ ...row, candidates }];
    });
    return { ...listed.data, items: left };
  }, [listed.data, taken, isGone, tab]);

  const pick = (row: SuggestionView, candidate: Candidate) => void acceptance.one(pairOf(row.sourceValue, candidate));
  const work: Work = {
    crosswalk,
    mayWrite,
    pick,
    type: ({ sourceValue }, targetValue) =>
      void acceptance.one({ sourceValue, targetValue, confidence: CROSSWALK_CONFIDENCE_DEFAULT, origin: 'MANUAL' }),
    typing,
    setTyping,
  };

  useRowKeys(area, (letter, rowKey) => {
    const row = data?.items.find(({ sourceValue }) => sourceValue === rowKey);
    if (row === undefined || !mayWrite) return false;
    if (letter === 't') {
      setTyping(row.sourceValue);
      return true;
    }
    if (letter === 'r') {
      if (row.candidates.length > 0) void dismissal.dismiss(bestOf([row]));
      return row.candidates.length > 0;
    }
    const candidate = row.candidates[letter === 'a' ? 0 : Number.parseInt(letter, 10) - 1];
    if (candidate === undefined) return false;
    pick(row, candidate);
    return true;
  });

  const actionsOf = (row: SuggestionView): readonly RowAction<SuggestionView>[] => {
    if (!mayWrite) return [];
    const [best] = row.candidates;
    return [
      {
        label: 'Accept',
        icon: Check,
        onSelect: () => best !== undefined && pick(row, best),
        unavailable: best === undefined ? 'There is no candidate: type a target' : undefined,
      },
      {
        label: 'Dismiss suggestion',
        icon: X,
        onSelect: () => void dismissal.dismiss(bestOf([row])),
        unavailable: best === undefined ? 'There is no candidate to dismiss' : undefined,
      },
      ...(row.candidates.length > 1
        ? [
            {
              label: `Dismiss all ${row.candidates.length} candidates`,
              icon: X,
              onSelect: () => void dismissal.dismiss(row.candidates.map((each) => ({ ...row, ...each }))),
            },
          ]
        : []),
      { label: 'Type a target…', onSelect: () => setTyping(row.sourceValue) },
    ];
  };

  return (
    <div ref={area} className="flex min-h-0 flex-1 flex-col">
      <WorkContext value={work}>
        {tab === 'suggested' && <ComparisonProgress progress={suggested.data?.progress ?? null} />}
        <DataGrid
          label={`${tab} values`}
          exports={<ExportItems crosswalkId={crosswalk.id} tab={tab} params={state.params} />}
          state={state}
          result={{ ...listed, data }}
          columns={isMobile ? NARROW_COLUMNS : COLUMNS}
          rowId={sourceOf}
          rowActions={actionsOf}
          inlineActions={mayWrite ? 1 : 0}
          bulkActions={
            mayWrite
              ? [
                  {
                    label: 'Accept best candidates',
                    icon: Check,
                    onSelect: ({ rows, clear }) => {
                      clear();
                      void acceptance.many(
                        rows.flatMap(({ sourceValue, candidates: [best] }) =>
                          best === undefined ? [] : [pairOf(sourceValue, best)],
                        ),
                      );
                    },
                    unavailable: ({ rows }) =>
                      rows.some((row) => row.candidates.length > 0) ? undefined : 'None of them has a candidate',
                  },
                  {
                    label: 'Dismiss best candidates',
                    icon: X,
                    onSelect: ({ rows, clear }) => {
                      clear();
                      void dismissal.dismiss(bestOf(rows));
                    },
                    unavailable: ({ rows }) =>
                      rows.some((row) => row.candidates.length > 0) ? undefined : 'None of them has a candidate',
                  },
                ]
              : []
          }
          actions={
            mayWrite &&
            listed.data?.total !== 0 && (
              <Button onClick={() => setAcceptingAll(true)}>
                <CheckCheck />
                Accept all…
              </Button>
            )
          }
          filterFields={FILTERS}
          live={live}
          empty={
            statistics.data?.sourceRows === 0
              ? {
                  title: `${crosswalk.sourceName} has no rows yet`,
                  description: 'Its values appear here as soon as there are some.',
                  action: (
                    <Button asChild>
                      <Link to={`/reference-data/${crosswalk.sourceSystemId}`}>Open {crosswalk.sourceName}</Link>
                    </Button>
                  ),
                }
              : tab === 'unmapped'
                ? {
                    title: 'Every source value is mapped',
                    description: 'New values of the source appear here automatically.',
                    action: next,
                  }
                : {
                    title: 'No suggestions',
                    description:
                      'No unmapped value has its like on the other side. Their targets are typed under Unmapped.',
                    action: next,
                  }
          }
        />
      </WorkContext>
      {mayWrite && (
        <p className="mt-2 text-muted text-xs max-sm:hidden">
          J K move · A accept · R dismiss · 1–5 pick a candidate · T type a target
        </p>
      )}
      {acceptingAll && (
        <AcceptAllDialog
          crosswalk={crosswalk}
          onClose={() => setAcceptingAll(false)}
          onAccept={(pairs, note, rest) => {
            setAcceptingAll(false);
            void acceptance.many(pairs, note, rest);
          }}
        />
      )}
      {acceptance.dialog}
      {dismissal.dialog}
    </div>
  );
}
