/** Accepts all suggestions of a crosswalk with at least the entered confidence. First shows their number. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Alert } from '../../../../components/ui/alert.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { Dialog } from '../../../../components/ui/dialog.tsx';
import { Field, Input } from '../../../../components/ui/input.tsx';
import { Skeleton } from '../../../../components/ui/skeleton.tsx';
import { useDebounced } from '../../../../lib/debounce/index.ts';
import { messageOf } from '../../../../lib/messages/index.ts';
import { formatNumber } from '../../../../lib/number-format.ts';
import type { NewMapping } from '../../api/mappings.ts';
import { confidentSuggestions, confidentSuggestionsQuery } from '../../api/mappings.ts';
import { pairsOf } from './acceptance.ts';
import { ComparisonProgress } from './ComparisonProgress.tsx';
import type { RemainingPairs } from './useAcceptance.tsx';

/** Users should check suggestions below this confidence one by one. */
const DEFAULT_MIN_CONFIDENCE = 90;
const FORM_ID = 'accept-suggestions';

export interface AcceptAllDialogProps {
  crosswalk: CrosswalkView;
  onAccept: (pairs: readonly NewMapping[], note: ReactNode, remaining: RemainingPairs) => void;
  onClose: () => void;
}

export function AcceptAllDialog({ crosswalk, onAccept, onClose }: AcceptAllDialogProps) {
  const [confidenceText, setConfidenceText] = useState(String(DEFAULT_MIN_CONFIDENCE));
  const debouncedText = useDebounced(confidenceText);
  const minConfidence = Math.min(100, Math.max(0, Number(debouncedText) || 0));
  const suggestions = useQuery(confidentSuggestionsQuery(crosswalk.id, minConfidence));
  const ambiguous = suggestions.data?.ambiguous;
  const count = typeof suggestions.data?.total === 'number' ? suggestions.data.total : 0;
  const progress = suggestions.data?.progress ?? null;
  const isCounted =
    debouncedText === confidenceText && suggestions.data !== undefined && progress === null && !suggestions.isFetching;

  const note = ambiguous !== undefined && ambiguous.total > 0 && (
    <>
      Values left unmapped: {formatNumber(ambiguous.total)}, because several targets fit equally well (
      <span className="font-mono">{ambiguous.examples.join(', ')}</span>
      {ambiguous.total > ambiguous.examples.length && ' …'}).
    </>
  );

  function accept(event: FormEvent) {
    event.preventDefault();
    if (!isCounted || count === 0 || suggestions.data === undefined) return;
    const { items } = suggestions.data;
    onAccept(pairsOf(items), note, {
      count: count - items.length,
      loadNextPage: async () => pairsOf((await confidentSuggestions(crosswalk.id, minConfidence)).items),
    });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Accept suggestions"
      description="The best candidate of each unmapped value becomes a draft. Nothing is submitted yet."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form={FORM_ID}
            disabled={!isCounted || count === 0}
            aria-busy={!isCounted}
          >
            {isCounted ? `Accept ${formatNumber(count)}` : progress !== null ? 'Comparing…' : 'Counting…'}
          </Button>
        </>
      }
    >
      <form id={FORM_ID} noValidate className="flex flex-col gap-4" onSubmit={accept}>
        <Field label="Accept all suggestions with confidence of at least" hint="0 to 100">
          {(control) => (
            <Input
              {...control}
              type="number"
              min={0}
              max={100}
              className="w-28"
              value={confidenceText}
              onChange={(event) => setConfidenceText(event.target.value)}
            />
          )}
        </Field>
        <div role="status" className="min-h-10 text-sm">
          {suggestions.error !== null ? (
            <Alert tone="error">{messageOf(suggestions.error)}</Alert>
          ) : suggestions.data === undefined ? (
            <Skeleton className="w-2/3" />
          ) : (
            <>
              <p>
                <strong className="font-semibold">{formatNumber(count)}</strong>{' '}
                {count === 1 ? 'value has' : 'values have'} a best candidate at or above {minConfidence}.
              </p>
              {note !== false && <p className="text-muted">{note}</p>}
              <ComparisonProgress progress={progress} />
              {suggestions.data.bounded && (
                <p className="text-muted">
                  The data sets are too large: only the first 100,000 rows of each were compared.
                </p>
              )}
            </>
          )}
        </div>
      </form>
    </Dialog>
  );
}
