/** Verifies the hash chain of the whole log and shows the first invalid entry, if any. */
import type { ChainVerification } from '@rdm/contracts/audit/verification';
import { useQuery } from '@tanstack/react-query';
import { LoaderCircle, ShieldCheck, ShieldX } from 'lucide-react';
import { useEffect } from 'react';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { verifyChain } from '../api/audit.ts';

/** A verification of the chain that the user started on this page. */
export interface Verification {
  result: ChainVerification;
  at: Date;
}

export interface VerifyDialogProps {
  onVerified: (verified: Verification) => void;
  onShow: (seq: number) => void;
  onClose: () => void;
}

export function VerifyDialog({ onVerified, onShow, onClose }: VerifyDialogProps) {
  const { data, dataUpdatedAt, error, isFetching, refetch } = useQuery({
    queryKey: ['audit', 'verify'],
    queryFn: verifyChain,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
  useEffect(() => {
    if (data !== undefined) onVerified({ result: data, at: new Date(dataUpdatedAt) });
  }, [data, dataUpdatedAt, onVerified]);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Verify chain"
      description="Every entry is compared with its event, or with the manifest of the purge that deleted the event. The hash chain is recomputed through all entries."
      footer={
        <>
          <Button disabled={isFetching} onClick={() => void refetch()}>
            Verify again
          </Button>
          <Button variant="primary" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div role="status" aria-busy={isFetching}>
        {isFetching ? (
          <p className="flex flex-col items-center gap-3 py-8 text-muted">
            <LoaderCircle aria-hidden="true" className="size-8 animate-spin text-accent" strokeWidth={1.5} />
            Reading the whole log…
          </p>
        ) : error !== null ? (
          <ErrorState title="The verification did not run" error={error} onRetry={() => void refetch()} />
        ) : (
          data !== undefined && <Result result={data} onShow={onShow} />
        )}
      </div>
    </Dialog>
  );
}

function Result({ result, onShow }: { result: ChainVerification; onShow: (seq: number) => void }) {
  const { intact, verified, head, brokenAt, summary, notes } = result;
  return (
    <div className="flex flex-col gap-3">
      <p
        className={`flex items-center gap-2 font-medium text-lg ${intact ? 'text-approved-text' : 'text-danger-text'}`}
      >
        {intact ? (
          <ShieldCheck aria-hidden="true" className="size-6" />
        ) : (
          <ShieldX aria-hidden="true" className="size-6" />
        )}
        {intact ? 'The chain is intact' : 'The chain is broken'}
      </p>
      {intact ? (
        <p>{summary}</p>
      ) : (
        <p>
          {formatNumber(verified)} {verified === 1 ? 'entry' : 'entries'} verified before the break.
        </p>
      )}
      {notes.map((note) => (
        <p key={note} className="text-muted">
          {note}.
        </p>
      ))}
      {brokenAt !== null && (
        <div className="rounded-md border border-danger bg-danger-soft p-3 text-danger-text">
          <p className="font-medium">Entry {formatNumber(brokenAt.seq)} is the first that failed the verification</p>
          <p>{brokenAt.reason}</p>
          <Button size="sm" className="mt-2" onClick={() => onShow(brokenAt.seq)}>
            Show this entry
          </Button>
        </div>
      )}
      {head !== null && (
        <dl className="grid grid-cols-[8rem_1fr] gap-x-3 gap-y-1">
          <dt className="text-muted">Last verified entry</dt>
          <dd className="tabular-nums">{formatNumber(head.seq)}</dd>
          <dt className="text-muted">Chain hash of this entry</dt>
          <dd className="break-all font-mono text-xs">{head.chainHash}</dd>
        </dl>
      )}
    </div>
  );
}
