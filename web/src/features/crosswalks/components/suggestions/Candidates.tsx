/** The candidates of an unmapped value as buttons (the first line, or all of them), and a picker for another target. */
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

/** The number of candidates that a number key can pick. */
const PICKABLE = 5;

export type Candidate = SuggestionView['candidates'][number];

/** A source value with its candidates. */
export interface WorkRow extends SuggestionView {
  /** Whether only the best candidate is known yet, because the other candidates are being read. */
  isIncomplete?: boolean;
}

export interface Work {
  crosswalk: CrosswalkView;
  mayWrite: boolean;
  pick: (row: WorkRow, candidate: Candidate) => void;
  type: (row: WorkRow, targetValue: string) => void;
  /** The source value whose target is being typed. */
  typing: string | undefined;
  setTyping: (sourceValue: string | undefined) => void;
  /** The source values whose candidates are all shown. */
  opened: ReadonlySet<string>;
  toggle: (sourceValue: string) => void;
}

export const WorkContext = createContext<Work | undefined>(undefined);

export function Candidates({ row }: { row: WorkRow }) {
  const work = useContext(WorkContext);
  const isPast = useIsPast();
  const shown = row.candidates.slice(0, PICKABLE);
  const list = useRef<HTMLDivElement>(null);
  const isClipped = useIsClipped(list, shown.length);
  if (work === undefined) return null;
  const { crosswalk, mayWrite, typing } = work;
  const isOpen = work.opened.has(row.sourceValue);
  return (
    <div className="flex items-center gap-1 max-sm:flex-wrap">
      <div
        ref={list}
        data-candidates
        className={cn(
          'flex min-w-0 flex-1 flex-wrap items-center gap-1 max-sm:basis-full',
          !isOpen && 'max-h-6 overflow-hidden',
        )}
      >
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
          <span className="text-muted leading-6" aria-busy={row.isIncomplete}>
            {row.isIncomplete
              ? 'Loading other candidates…'
              : isPast
                ? 'Suggestions are not available for the past.'
                : 'No similar target.'}
          </span>
        )}
      </div>
      {(isOpen || isClipped) && (
        <Button
          variant="ghost"
          size="sm"
          className="h-6"
          tabIndex={-1}
          aria-expanded={isOpen}
          onClick={() => work.toggle(row.sourceValue)}
        >
          {isOpen ? 'Fewer' : `All ${shown.length}`}
          <span className="sr-only"> candidates</span>
        </Button>
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

/** Whether the candidates need more than one line, so that some are hidden while the list is closed. */
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

/** Whether a candidate is on a later line than the first one. */
const isBelowFirst = (candidate: Element | null | undefined): boolean => {
  const first = candidate?.parentElement?.firstElementChild;
  return (candidate?.getBoundingClientRect().top ?? 0) >= (first?.getBoundingClientRect().bottom ?? Infinity);
};

/** Whether the candidate at this index is hidden because the list is closed. */
export function isHidden(row: Element | null | undefined, place: number): boolean {
  const list = row?.querySelector('[data-candidates]');
  return list?.clientHeight !== list?.scrollHeight && isBelowFirst(list?.children[place]);
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
        // The reason may contain long labels: a second line would be cut in the closed list, and the title shows the whole text.
        <span className="max-w-96 shrink-0 truncate text-muted text-xs max-lg:hidden">{reason}</span>
      )}
    </button>
  );
}
