/** The start page. */
import { PageHeader } from '../../../components/page/index.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';

export default function Home() {
  const user = useCurrentUser();
  return <PageHeader title={`Good to see you, ${user.displayName ?? user.username}`} />;
}
