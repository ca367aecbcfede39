/** Lists the grants that another user changed in the meantime, and offers to apply the user's own change as well. */
import type { PermissionView } from '@rdm/contracts/collections/collections';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Differences } from './Differences.tsx';
import type { GrantDifference } from './grants.ts';

export interface StaleGrantsDialogProps {
  /** The user's own change: "Grant WRITE to Ada". */
  mine: string;
  theirs: readonly GrantDifference<PermissionView>[];
  onKeepTheirs: () => void;
  onApplyMine: () => void;
}

export function StaleGrantsDialog({ mine, theirs, onKeepTheirs, onApplyMine }: StaleGrantsDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onKeepTheirs()}
      title="Another user changed this collection"
      description="Your change is not saved yet."
      footer={
        <>
          <Button onClick={onKeepTheirs}>Discard my change</Button>
          <Button variant="primary" onClick={onApplyMine}>
            Apply my change as well
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="font-medium">Theirs</p>
        {theirs.length > 0 ? (
          <Differences label="Their changes" changes={theirs} />
        ) : (
          <p className="text-muted">The other user changed details or contents, but no grants.</p>
        )}
        <p className="font-medium">Mine</p>
        <p>{mine}</p>
      </div>
    </Dialog>
  );
}
