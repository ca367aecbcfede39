/** Replaces a page that fails to load or to render. */
import { useRouteError } from 'react-router-dom';
import { ErrorState } from '../components/empty-state/index.tsx';
import { unreachableError } from '../lib/api/index.ts';
import { messageOf } from '../lib/messages/index.ts';

/** Matches browser errors for a chunk that did not load: the network is down, or a newer version was deployed. */
const NOT_LOADED = /dynamically imported module|importing a module script/i;

export function Crash() {
  const error = useRouteError();
  return (
    <ErrorState
      title="This page stopped working"
      error={NOT_LOADED.test(messageOf(error)) ? unreachableError() : error}
      onRetry={() => window.location.reload()}
    />
  );
}
