/** Sends a user away from a page that their role does not allow, and remembers which page it was. */
import { Navigate, useLocation } from 'react-router-dom';
import { z } from 'zod';

const State = z.object({ refusedPage: z.string() });

/** Goes to the start page (specification §4), which names the page. */
export function RefusedPage() {
  const { pathname } = useLocation();
  return <Navigate to="/" replace state={{ refusedPage: pathname } satisfies z.infer<typeof State>} />;
}

/** The page that sent the user here; undefined if none did. */
export function useRefusedPage(): string | undefined {
  return State.safeParse(useLocation().state).data?.refusedPage;
}
