/** A bar at the bottom of the page that offers to undo the user's last action. */
import { Undo2, X } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { messageOf } from '../../lib/messages/index.ts';
import { notify } from '../toast/index.ts';
import { Button } from '../ui/button.tsx';

export interface Undoable {
  /** Describes the action: "Deleted: 3 mappings." */
  text: ReactNode;
  /** Undoes the action; resolves to `false` if the user cancelled the undo, so that the bar stays. */
  undo: () => Promise<unknown>;
}

/**
 * How long the bar stays: long enough to notice a mistake, but not longer, because other users can build on the change.
 * Later, users can still undo decisions on the approvals dashboard, and imports in the monitor.
 */
const OFFERED_MS = 60_000;

export function UndoBar({ action, onClose }: { action: Undoable; onClose: () => void }) {
  const [busy, setBusy] = useState(false);
  /** Whether the pointer or the focus is on the bar. The bar then stays open. */
  const [isHeld, setHeld] = useState(false);
  const close = useEffectEvent(onClose);
  useEffect(() => {
    if (isHeld || busy) return;
    const timer = setTimeout(close, OFFERED_MS);
    return () => clearTimeout(timer);
  }, [action, isHeld, busy]);

  async function undo() {
    setBusy(true);
    try {
      if ((await action.undo()) === false) setBusy(false);
      else onClose();
    } catch (error) {
      notify.error(messageOf(error), { title: 'The action could not be undone' });
      setBusy(false);
    }
  }

  return (
    <section
      aria-label="Last action"
      data-undo
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      // The bar covers the footer of the page and takes no height, so that the list keeps its size when the bar
      // appears. On small screens it is below the selection bar, beside the button "Back to top", and at most as high
      // as the footer.
      className="flex items-center gap-3 rounded-md border border-control bg-raised px-3 py-1.5 max-md:fixed max-md:right-14 max-md:bottom-1 max-md:left-2 max-md:z-40 max-md:h-13 max-md:shadow-lg md:sticky md:z-10 md:bottom-1 md:mt-1 md:-mb-12 md:h-11 md:self-center"
    >
      <p role="status" className="text-sm max-md:line-clamp-2 max-md:min-w-0 max-md:flex-1 max-md:break-words">
        {action.text}
      </p>
      <Button size="sm" disabled={busy} aria-busy={busy} onClick={() => void undo()}>
        <Undo2 />
        Undo
      </Button>
      <Button variant="ghost" size="icon-sm" aria-label="Dismiss" onClick={onClose}>
        <X />
      </Button>
    </section>
  );
}
