/** The candidates of an unmapped value as buttons, and the picker of another target. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import type { SuggestionView } from '@rdm/contracts/crosswalks/mappings';
import { createContext, useContext } from 'react';
import { cn } from '../../../../components/ui/cn.ts';
import { useIsPast } from '../../../../lib/past/index.ts';
import { ignoreRepeats } from '../../../../lib/pointer/index.ts';
import { valueClasses } from '../mappings/mapping-columns.tsx';
import { Confidence } from './Confidence.tsx';
import { TargetPicker } from './TargetPicker.tsx';

/** The number of candidates that have a key. */
const PICKABLE = 5;

export type Candidate = SuggestionView['candidates'][number];

export interface Work {
  crosswalk: CrosswalkView;
  mayWrite: boolean;
  pick: (row: SuggestionView, candidate: Candidate) => void;
  type: (row: SuggestionView, targetValue: string) => void;
  /** The source value whose target is being typed. */
  typing: string | undefined;
  setTyping: (sourceValue: string | undefined) => void;
}

export const WorkContext = createContext<Work | undefined>(undefined);

export function Candidates({ row }: { row: SuggestionView }) {
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
