/** Lists the later changes that an undo or redo would overwrite, and lets the user keep them. */
import { valueText } from '../../../../components/diff/index.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { Dialog } from '../../../../components/ui/dialog.tsx';
import { formatNumber } from '../../../../lib/number-format.ts';
import type { LaterChange, StepRow } from './history.ts';

export type LaterChangesChoice = 'keep' | 'overwrite' | 'cancel';

/** Maximum number of cells, and separately of rows, that the dialog lists. */
const SHOWN_CHANGES = 100;

export interface LaterChangesDialogProps {
  cells: readonly LaterChange[];
  /** Rows that the undo or redo would delete and that were changed later. */
  rows: readonly StepRow[];
  onChoose: (choice: LaterChangesChoice) => void;
}

export function LaterChangesDialog({ cells, rows, onChoose }: LaterChangesDialogProps) {
  const moreCount = Math.max(0, cells.length - SHOWN_CHANGES) + Math.max(0, rows.length - SHOWN_CHANGES);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onChoose('cancel')}
      title="Overwrite later changes?"
      description="These values were changed after your edit."
      footer={
        <>
          <Button onClick={() => onChoose('cancel')}>Cancel</Button>
          <Button variant="danger" onClick={() => onChoose('overwrite')}>
            Overwrite later changes
          </Button>
          <Button variant="primary" onClick={() => onChoose('keep')}>
            Keep later changes
          </Button>
        </>
      }
    >
      <ul className="divide-y divide-hairline border-hairline border-y text-sm">
        {cells.slice(0, SHOWN_CHANGES).map(({ id, key, field, now, next }) => (
          <li key={`${id} ${field}`} className="py-1.5">
            <span className="font-mono">{key}</span> · {field}: now {valueText(now)}, would become {valueText(next)}
          </li>
        ))}
        {rows.slice(0, SHOWN_CHANGES).map(({ id, key }) => (
          <li key={id} className="py-1.5">
            <span className="font-mono">{key}</span>: was changed later, would be deleted
          </li>
        ))}
      </ul>
      {moreCount > 0 && <p className="mt-2 text-muted text-xs">and {formatNumber(moreCount)} more</p>}
    </Dialog>
  );
}
