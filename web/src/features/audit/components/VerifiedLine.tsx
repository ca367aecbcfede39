/** Shows the result of the last verification on the page until the user dismisses it. */
import { X } from 'lucide-react';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { Instant } from './columns.tsx';
import type { Verification } from './VerifyDialog.tsx';

export function VerifiedLine({ verified, onDismiss }: { verified: Verification; onDismiss: () => void }) {
  const { intact, verified: count, head, brokenAt } = verified.result;
  return (
    <div className="mb-3 flex items-start gap-2">
      <Alert tone={intact ? 'success' : 'error'} className="min-w-0 flex-1">
        {intact ? 'The chain is intact' : `The chain is broken at entry ${formatNumber(brokenAt?.seq ?? 0)}`}:{' '}
        {formatNumber(count)} {count === 1 ? 'entry' : 'entries'} verified
        {head !== null && (
          <>
            , last verified entry {formatNumber(head.seq)}{' '}
            <span className="font-mono">{head.chainHash.slice(0, 12)}</span>
          </>
        )}
        , <Instant at={verified.at.toISOString()} />
      </Alert>
      <Button variant="ghost" size="icon" aria-label="Dismiss the result" onClick={onDismiss}>
        <X />
      </Button>
    </div>
  );
}
