/** Opens the help for the page that is shown. */
import { useLocation, useNavigate } from 'react-router-dom';

/** The help is loaded on demand: it is larger than the shell. */
export const loadHelp = () => import('../../features/help/search/lookup.ts');

export function useHelpForPage(): () => Promise<void> {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  return async () => {
    const { helpFor } = await loadHelp();
    await navigate(helpFor(pathname));
  };
}
