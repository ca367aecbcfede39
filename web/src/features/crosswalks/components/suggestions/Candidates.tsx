/** The candidates of an unmapped value as buttons (the first line, or all lines), and a picker for another target. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { SuggestionView } from '@rdm/contracts/crosswalks/mappings';
import { createContext, type RefObject, useContext, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../../../components/ui/button.tsx';
import { cn } from '../../../../components/ui/cn.ts';
import { useIsPast } from '../../../../lib/past/index.ts';
import { ignoreRepeats } from '../../../../lib/pointer/index.ts';
import { valueClasses } from '../mappings/mapping-columns.tsx';
import { Confidence } from './Confidence.tsx';
import { TargetPicker } from './TargetPicker.tsx';

/** The maximum number of shown candidates, each with a number key. */
const PICKABLE_MAX = 5;

export type Candidate = SuggestionView['candidates'][number];

/** A source value with its candidates. */
export interface WorklistRow extends SuggestionView {
  /** Whether further candidates are loading. */
  isIncomplete?: boolean;
}

export interface WorklistContextValue {
  crosswalk: CrosswalkView;
  mayWrite: boolean;
  acceptCandidate: (row: WorklistRow, candidate: Candidate) => void;
  /** Drafts a mapping to a target that the user chose or typed in the picker. */
  acceptTarget: (row: WorklistRow, targetValue: string) => void;
  /** The source value whose target picker is open. */
  openPickerValue: string | undefined;
  setOpenPickerValue: (sourceValue: string | undefined) => void;
  /** The source values whose candidates are all shown. */
  expandedValues: ReadonlySet<string>;
  toggle: (sourceValue: string) => void;
}

export const WorklistContext = createContext<WorklistContextValue | undefined>(undefined);

export function Candidates({ row }: { row: WorklistRow }) {
  const worklist = useContext(WorklistContext);
  const isPast = useIsPast();
  const candidates = row.candidates.slice(0, PICKABLE_MAX);
  const list = useRef<HTMLDivElement>(null);
  const isClipped = useIsClipped(list, candidates.length);
  if (worklist === undefined) return null;
  const { crosswalk, mayWrite, openPickerValue } = worklist;
  const isExpanded = worklist.expandedValues.has(row.sourceValue);
  return (
    <div className="flex items-center gap-1 max-sm:flex-wrap">
      <div
        ref={list}
        data-candidates
        className={cn(
          'flex min-w-0 flex-1 flex-wrap items-center gap-1 max-sm:basis-full',
          !isExpanded && 'max-h-6 overflow-hidden',
        )}
      >
        {candidates.map((candidate, index) => (
          <CandidateButton
            key={candidate.targetValue}
            candidate={candidate}
            number={index + 1}
            disabled={!mayWrite}
            onPick={() => worklist.acceptCandidate(row, candidate)}
          />
        ))}
        {candidates.length === 0 && (
          <span className="text-muted leading-6" aria-busy={row.isIncomplete}>
            {row.isIncomplete
              ? 'Loading other candidates…'
              : isPast
                ? 'Suggestions are not available for the past.'
                : 'No similar target.'}
          </span>
        )}
      </div>
      {(isExpanded || isClipped) && (
        <Button
          variant="ghost"
          size="sm"
          className="h-6"
          tabIndex={-1}
          aria-expanded={isExpanded}
          onClick={() => worklist.toggle(row.sourceValue)}
        >
          {isExpanded ? 'Fewer' : `All ${candidates.length}`}
          <span className="sr-only"> candidates</span>
        </Button>
      )}
      {mayWrite && (
        <TargetPicker
          crosswalk={crosswalk}
          quiet
          size="sm"
          value={undefined}
          placeholder={candidates.length === 0 ? 'Type a target…' : 'Another target…'}
          open={openPickerValue === row.sourceValue}
          onOpenChange={(open) => worklist.setOpenPickerValue(open ? row.sourceValue : undefined)}
          onValueChange={(targetValue) => worklist.acceptTarget(row, targetValue)}
        />
      )}
    </div>
  );
}

/** Whether the candidates need more than one line, so that some are hidden while the list is collapsed. */
function useIsClipped(list: RefObject<HTMLElement | null>, count: number): boolean {
  const [isClipped, setClipped] = useState(false);
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null || count < 2) return setClipped(false);
    const measure = () => setClipped(isBelowFirst(element.lastElementChild));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [list, count]);
  return isClipped;
}

/** Whether a candidate is on a later line than the first candidate. */
const isBelowFirst = (candidate: Element | null | undefined): boolean => {
  const first = candidate?.parentElement?.firstElementChild;
  return (candidate?.getBoundingClientRect().top ?? 0) >= (first?.getBoundingClientRect().bottom ?? Infinity);
};

/** Whether the candidate at this index is hidden because the list is collapsed. */
export function isHidden(row: Element | null | undefined, index: number): boolean {
  const list = row?.querySelector('[data-candidates]');
  return list?.clientHeight !== list?.scrollHeight && isBelowFirst(list?.children[index]);
}

interface CandidateButtonProps {
  candidate: Candidate;
  /** The number of the candidate, which is also the key that picks it. */
  number: number;
  disabled: boolean;
  onPick: () => void;
}

function CandidateButton({ candidate, number, disabled, onPick }: CandidateButtonProps) {
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
        number === 1 ? 'border-control bg-surface' : 'border-hairline bg-transparent',
      )}
    >
      <span className="font-mono text-muted text-xs">{number}</span>
      <span className="min-w-0 truncate">
        <span className={valueClasses}>{targetValue}</span>
        {targetLabel !== null && <span className="ml-1.5 text-muted">{targetLabel}</span>}
      </span>
      <Confidence value={confidence} className="text-xs" />
      {number === 1 && (
        // A long reason is cut at the end of the line, because the collapsed list hides a second line. The title shows
        // the whole reason.
        <span className="max-w-96 shrink-0 truncate text-muted text-xs max-lg:hidden">{reason}</span>
      )}
    </button>
  );
}
