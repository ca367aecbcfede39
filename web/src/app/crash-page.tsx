/** Shown in place of a page that fails to load or to render. If the shell itself works, it stays visible. */
import { useRouteError } from 'react-router-dom';
import { ErrorState } from '../components/empty-state/index.tsx';
import { unreachableError } from '../lib/api/index.ts';
import { messageOf } from '../lib/messages/index.ts';

/**
 * Matches the browsers' messages for a chunk that could not be loaded, because the network is down or a newer version
 * was deployed.
 */
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
