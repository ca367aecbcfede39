/** What is shown when a page fails to load or to render; the rest of the shell stays. */
import { useRouteError } from 'react-router-dom';
import { ErrorState } from '../components/empty-state/index.tsx';
import { messageOf } from '../lib/messages/index.ts';

export function Crash() {
  const error = useRouteError();
  return (
    <ErrorState title="This page stopped working" message={messageOf(error)} onRetry={() => window.location.reload()} />
  );
}
