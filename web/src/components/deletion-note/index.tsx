/** Shows who deleted a record and when, and offers to restore it. */
import { format } from 'date-fns';
import { RotateCcw, Trash2 } from 'lucide-react';
import { usePeople } from '../../lib/auth/people.ts';
import { Button } from '../ui/button.tsx';

export interface DeletedNoteProps {
  by: number | null;
  at: string;
  /** Absent if the user may not restore the record. */
  onRestore?: (() => void) | undefined;
  /** Why the record cannot be restored now. */
  unavailable?: string | undefined;
}

export function DeletedNote({ by, at, onRestore, unavailable }: DeletedNoteProps) {
  const name = usePeople([by])(by);
  return (
    <div
      role="note"
      className="mb-4 flex flex-wrap items-center justify-between gap-2 rounded-md border border-hairline bg-hover px-3 py-2 text-sm"
    >
      <span className="flex min-w-0 items-center gap-2">
        <Trash2 aria-hidden="true" className="size-4 shrink-0" />
        <span className="min-w-0 wrap-anywhere">
          Deleted{name !== '' && ` by ${name}`} on{' '}
          <time dateTime={at}>{format(new Date(at), 'd MMM yyyy, HH:mm')}</time>
        </span>
      </span>
      {onRestore !== undefined && (
        <Button size="sm" disabled={unavailable !== undefined} title={unavailable} onClick={onRestore}>
          <RotateCcw />
          Restore
        </Button>
      )}
    </div>
  );
}
