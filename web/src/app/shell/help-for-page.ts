/** Opens the help for the displayed page, in a new tab if the page has unsaved input. */
import { useLocation, useNavigate } from 'react-router-dom';

/** The help is loaded on demand, because it is larger than the shell. */
export const loadHelp = () => import('../../features/help/search/lookup.ts');

/** Whether the page has unsaved input. A page with unsaved input cancels `beforeunload`. */
const hasUnsavedInput = (): boolean => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));

export function useHelpForPage(): () => Promise<void> {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return async () => {
    const { helpFor } = await loadHelp();
    const help = helpFor(pathname);
    if (hasUnsavedInput()) window.open(help, '_blank', 'noopener');
    else await navigate(help);
  };
}
