/** The results of a bulk action: its progress while it runs, then the refused rows with the reasons. */
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import { X } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { formatNumber } from '../../lib/number-format.ts';
import { NamesOf, Person } from '../people/index.tsx';
import { RelativeTime } from '../timeline/index.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

export interface Outcome {
  id: string | number;
  /** The displayed name of the row. */
  label: ReactNode;
  outcome: 'done' | 'refused';
  message?: string | undefined;
  /** The last change of the row by another user, if that is the reason for the refusal. */
  changed?: LastChange | undefined;
}

export interface LastChange {
  by: number | null;
  at: string;
}

/** Reads the last change from the result for a row. */
export const lastChangeOf = ({ changedBy, changedAt }: RowOutcome): LastChange | undefined =>
  changedAt === undefined ? undefined : { by: changedBy ?? null, at: changedAt };

export interface RunningAction {
  done: number;
  total: number;
}

const SHOWN_ROWS = 500;

export function ProgressBar({ label, done, total }: RunningAction & { label: string }) {
  const share = total === 0 ? 0 : Math.round((100 * done) / total);
  return (
    <div className="flex flex-col gap-1">
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share}
        className="h-1.5 overflow-hidden rounded-full bg-hairline"
      >
        <div className="h-full bg-accent transition-[width]" style={{ width: `${share}%` }} />
      </div>
      <p className="text-muted text-xs tabular-nums">
        {formatNumber(done)} of {formatNumber(total)}
      </p>
    </div>
  );
}

export interface OutcomesDialogProps {
  /** Usually the action in the past tense: "Submitted". */
  title: string;
  /** Set while rows are being processed. */
  running?: RunningAction | undefined;
  outcomes: readonly Outcome[];
  /** A note that is shown above the rows. */
  note?: ReactNode;
  onClose: () => void;
}

/** Closes after a complete success without a note, because the undo bar then shows the number of rows. */
export function OutcomesDialog({ title, running, outcomes, note, onClose }: OutcomesDialogProps) {
  const rows = outcomes.filter((row) => row.outcome === 'refused');
  const done = outcomes.length - rows.length;
  const hasNote = note !== undefined && note !== false;
  const isDone = running === undefined && rows.length === 0 && !hasNote;
  useEffect(() => {
    if (isDone) onClose();
  }, [isDone, onClose]);
  if (isDone) return null;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && running === undefined && onClose()}
      title={title}
      description={
        running === undefined
          ? `${formatNumber(done)} done, ${formatNumber(rows.length)} refused.`
          : 'Please wait: each row gets its own result.'
      }
      footer={
        <Button variant="primary" disabled={running !== undefined} onClick={onClose}>
          Close
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        {running !== undefined && <ProgressBar label={title} {...running} />}
        {hasNote && <p className="text-sm">{note}</p>}
        {rows.length > 0 && (
          <NamesOf ids={[...new Set(rows.flatMap(({ changed }) => changed?.by ?? []))]}>
            <ul className="divide-y divide-hairline border-hairline border-y text-sm">
              {rows.slice(0, SHOWN_ROWS).map((row) => (
                <li key={row.id} className="flex gap-2 py-1.5">
                  <X aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-danger-text" />
                  <span className="min-w-0 flex-1 break-words">
                    {row.label}
                    <span className="block text-muted text-xs">
                      Refused: {row.message ?? 'no reason given'}
                      {row.changed !== undefined && (
                        <>
                          {' – last changed by '}
                          <Person id={row.changed.by} />, <RelativeTime at={row.changed.at} />
                        </>
                      )}
                    </span>
                  </span>
                </li>
              ))}
            </ul>
          </NamesOf>
        )}
        {rows.length > SHOWN_ROWS && (
          <p className="text-muted text-xs">and {formatNumber(rows.length - SHOWN_ROWS)} more</p>
        )}
      </div>
    </Dialog>
  );
}
