/** Requests confirmation before a navigation loses the unsaved input of a page or a dialog. */
import { useEffect } from 'react';
import { type createBrowserRouter, useBlocker } from 'react-router-dom';
import { Confirm } from '../ui/dialog.tsx';

/** The state of a navigation after saving: this navigation needs no confirmation. */
export const SAVED = { saved: true };

export interface LeaveGuardProps {
  dirty: boolean;
  /** Closes the dialog when the user confirms going back or forward within the page. */
  onClose?: () => void;
  /** The text of the confirmation, if something other than changes would be lost. */
  description?: string;
}

/** Adds a blocker only while there is unsaved input, because the router evaluates only the last blocker. */
export function LeaveGuard({ dirty, ...props }: LeaveGuardProps) {
  return dirty && <ActiveGuard {...props} />;
}

function ActiveGuard({ onClose, description }: Omit<LeaveGuardProps, 'dirty'>) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation, historyAction }) =>
      nextLocation.state?.saved !== true &&
      (currentLocation.pathname !== nextLocation.pathname || (onClose !== undefined && historyAction === 'POP')),
  );

  useEffect(() => {
    const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', preventUnload);
    return () => window.removeEventListener('beforeunload', preventUnload);
  }, []);

  function leave() {
    if (blocker.state !== 'blocked') return;
    const staysOnPage = blocker.location.pathname === window.location.pathname;
    blocker.proceed();
    if (staysOnPage) onClose?.();
  }

  return (
    <LeaveConfirm
      open={blocker.state === 'blocked'}
      onOpenChange={(open) => !open && blocker.reset?.()}
      onConfirm={leave}
      {...(description !== undefined && { description })}
    />
  );
}

/** Asks the user to confirm the loss of unsaved input. */
export function LeaveConfirm(props: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onConfirm: () => void;
  description?: string;
}) {
  return (
    <Confirm
      title="Leave without saving?"
      description="Your changes will be lost."
      {...props}
      confirm="Leave"
      cancel="Stay"
    />
  );
}

/**
 * Hides a blocked `popstate` event from listeners that are added later. Without this, pages would follow the new URL
 * for a moment and unmount the form with the user's input.
 */
export function hideBlockedPopstate(router: ReturnType<typeof createBrowserRouter>): void {
  window.addEventListener('popstate', (event) => {
    const blockers = [...router.state.blockers.values()];
    if (blockers.some(({ state }) => state === 'blocked')) event.stopImmediatePropagation();
  });
}
