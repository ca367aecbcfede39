/** What is shown when a page fails to load or to render; the rest of the shell stays. */
import { useRouteError } from 'react-router-dom';
import { ErrorState } from '../components/empty-state/index.tsx';
import { messageOf, UNREACHABLE } from '../lib/messages/index.ts';

/** What browsers say of a piece of the program that did not come: the network is gone, or a newer version took its place. */
const NOT_LOADED = /dynamically imported module|importing a module script/i;

export function Crash() {
  const error = useRouteError();
  const said = messageOf(error);
  return (
    <ErrorState
      title="This page stopped working"
      message={NOT_LOADED.test(said) ? UNREACHABLE : said}
      onRetry={() => window.location.reload()}
    />
  );
}
