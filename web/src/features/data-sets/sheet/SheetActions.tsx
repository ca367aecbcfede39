/** The buttons of the sheet: undo, redo, and find and replace. */
import { Redo2, Replace, Undo2 } from 'lucide-react';
import { Button } from '../../../components/ui/button.tsx';
import type { UndoHistory } from './undo/history.ts';

export interface SheetActionsProps {
  history: UndoHistory;
  undo: () => Promise<void>;
  redo: () => Promise<void>;
  readOnlyReason: string | undefined;
  onReplace: () => void;
}

export function SheetActions({ history, undo, redo, readOnlyReason, onReplace }: SheetActionsProps) {
  const lastStep = history.past.at(-1);
  const nextStep = history.future.at(-1);
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        aria-label="Undo the last step"
        title={lastStep === undefined ? 'Nothing to undo' : `Undo: ${lastStep.text} (Ctrl+Z)`}
        disabled={lastStep === undefined || readOnlyReason !== undefined}
        onClick={() => void undo()}
      >
        <Undo2 />
      </Button>
      <Button
        variant="ghost"
        size="icon"
        aria-label="Redo the last step"
        title={nextStep === undefined ? 'Nothing to redo' : `Redo: ${nextStep.text} (Ctrl+Shift+Z)`}
        disabled={nextStep === undefined || readOnlyReason !== undefined}
        onClick={() => void redo()}
      >
        <Redo2 />
      </Button>
      <Button disabled={readOnlyReason !== undefined} title={readOnlyReason} onClick={onReplace}>
        <Replace />
        Replace…
      </Button>
    </>
  );
}
