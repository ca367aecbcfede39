/** The start page: the first steps of a new user, pending work, changes by others, and key figures. */
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { useRefusedPage } from '../../../lib/auth/refused-page.tsx';
import { changeHome, homeQuery } from '../api/home.ts';
import { Attention } from '../components/Attention.tsx';
import { Changes } from '../components/Changes.tsx';
import { GuidedStart, RestoreGuide } from '../components/GuidedStart.tsx';
import { KeyFigures } from '../components/KeyFigures.tsx';

export default function Home() {
  const user = useCurrentUser();
  const refusedPage = useRefusedPage();
  const { data: home, error, refetch } = useQuery(homeQuery);
  useEffect(() => {
    // Ignores a failure: if the visit is not stored, the next visit lists the same changes again.
    void changeHome({ visited: true }).catch(() => undefined);
  }, []);
  const isGuided = home?.steps.some(({ doneAt }) => doneAt === null) ?? false;
  return (
    <div className="mx-auto flex w-full max-w-4xl flex-col gap-6">
      <PageHeader
        title={`Welcome, ${user.displayName ?? user.username}`}
        description={`You are signed in as ${user.roleName}.`}
      />
      {refusedPage !== undefined && (
        <Alert tone="warning" title={`Your role cannot open ${refusedPage}`}>
          An administrator can give you a role that can open this page.
        </Alert>
      )}
      {isGuided && home?.guideDismissed === false && <GuidedStart steps={home.steps} />}
      <Attention drafts={home?.drafts} />
      {home !== undefined && <Changes previousVisitAt={home.previousVisitAt} />}
      {home !== undefined && <KeyFigures figures={home.figures} />}
      {home === undefined && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {isGuided && home?.guideDismissed === true && <RestoreGuide />}
    </div>
  );
}
