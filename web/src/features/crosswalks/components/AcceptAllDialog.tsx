/** Accepts every suggestion that is sure enough, over the whole crosswalk: says how many before, and what became of each after. */
import type { CrosswalkView } from '@rdm/contracts/crosswalks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Field, Input } from '../../../components/ui/input.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { usePaused } from '../../../lib/paused/index.ts';
import type { NewMapping } from '../api/mappings.ts';
import { sureSuggestionsQuery } from '../api/mappings.ts';
import { acceptanceOf } from './acceptance.ts';

/** Below this a suggestion is a guess that somebody should look at. */
const DEFAULT_CONFIDENCE = 90;
const number = new Intl.NumberFormat('en');

export interface AcceptAllDialogProps {
  crosswalk: CrosswalkView;
  onAccept: (pairs: readonly NewMapping[], note: ReactNode) => void;
  onClose: () => void;
}

export function AcceptAllDialog({ crosswalk, onAccept, onClose }: AcceptAllDialogProps) {
  const [typed, setTyped] = useState(String(DEFAULT_CONFIDENCE));
  const paused = usePaused(typed);
  const minConfidence = Math.min(100, Math.max(0, Number(paused) || 0));
  const sure = useQuery(sureSuggestionsQuery(crosswalk.id, minConfidence));
  const acceptance = sure.data === undefined ? undefined : acceptanceOf(sure.data.items, minConfidence);
  const beyond =
    sure.data === undefined || typeof sure.data.total !== 'number' ? 0 : sure.data.total - sure.data.items.length;
  const settled = paused === typed && !sure.isFetching && acceptance !== undefined;
  const count = acceptance?.pairs.length ?? 0;

  const note = acceptance !== undefined && acceptance.ambiguous.length > 0 && (
    <>
      {number.format(acceptance.ambiguous.length)} left unmapped: several targets fit equally well (
      <span className="font-mono">
        {acceptance.ambiguous
          .slice(0, 5)
          .map(({ sourceValue }) => sourceValue)
          .join(', ')}
      </span>
      {acceptance.ambiguous.length > 5 && ' …'}).
    </>
  );

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
            disabled={!settled || count === 0}
            aria-busy={!settled}
            onClick={() => acceptance !== undefined && onAccept(acceptance.pairs, note)}
          >
            {settled ? `Accept ${number.format(count)}` : 'Counting…'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Accept all suggestions with confidence of at least" hint="0 to 100">
          {(control) => (
            <Input
              {...control}
              type="number"
              min={0}
              max={100}
              className="w-28"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
        <div role="status" className="min-h-10 text-sm">
          {sure.error !== null ? (
            <Alert tone="error">{messageOf(sure.error)}</Alert>
          ) : acceptance === undefined ? (
            <Skeleton className="w-2/3" />
          ) : (
            <>
              <p>
                <strong className="font-semibold">{number.format(count)}</strong>{' '}
                {count === 1 ? 'value has' : 'values have'} a best candidate at or above {minConfidence}.
              </p>
              {note !== false && <p className="text-muted">{note}</p>}
              {beyond > 0 && (
                <p className="text-muted">{number.format(beyond)} more follow when you accept once again.</p>
              )}
              {sure.data?.bounded === true && (
                <p className="text-muted">The data sets are too large to weigh every pair: only the surest were.</p>
              )}
            </>
          )}
        </div>
      </div>
    </Dialog>
  );
}
