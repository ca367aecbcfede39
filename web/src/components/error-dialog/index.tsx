/** The modal that shows reported errors one at a time (specification §8), except errors that a page shows. */
import { useEffect, useState } from 'react';
import { APP_ERROR_EVENT, type AppErrorDetail, dismissErrors } from '../toast/index.ts';
import { MessageDialog } from '../ui/dialog.tsx';

export function ErrorDialogHost() {
  const [queue, setQueue] = useState<AppErrorDetail[]>([]);
  useEffect(() => {
    const listen = ({ detail }: CustomEvent<AppErrorDetail>) => {
      if (!detail.shownInPage) setQueue((waiting) => [...waiting, detail]);
    };
    window.addEventListener(APP_ERROR_EVENT, listen);
    return () => window.removeEventListener(APP_ERROR_EVENT, listen);
  }, []);

  const current = queue[0];
  return (
    <MessageDialog
      open={current !== undefined}
      title={current?.title ?? ''}
      description={current?.description ?? ''}
      onClose={() => {
        setQueue((waiting) => waiting.slice(1));
        dismissErrors();
      }}
    />
  );
}
