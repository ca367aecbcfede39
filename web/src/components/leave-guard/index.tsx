/** Requests confirmation before the user leaves a page in any way and loses unsaved input. */
import { useEffect } from 'react';
import { useBlocker } from 'react-router-dom';
import { Confirm } from '../ui/dialog.tsx';

/** The navigation state of a navigation after saving: it needs no confirmation. */
export const SAVED = { saved: true };

export function LeaveGuard({ dirty }: { dirty: boolean }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      dirty && nextLocation.state?.saved !== true && currentLocation.pathname !== nextLocation.pathname,
  );

  useEffect(() => {
    if (!dirty) return;
    const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', preventUnload);
    return () => window.removeEventListener('beforeunload', preventUnload);
  }, [dirty]);

  return (
    <Confirm
      open={blocker.state === 'blocked'}
      onOpenChange={(open) => !open && blocker.reset?.()}
      title="Leave without saving?"
      description="Your changes will be lost."
      confirm="Leave"
      cancel="Stay"
      onConfirm={() => blocker.proceed?.()}
    />
  );
}
