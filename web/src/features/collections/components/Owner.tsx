/** The name of somebody by their id; the system where nobody acted. */
import { usePeople } from '../../../lib/auth/people.ts';

export function Owner({ id }: { id: number | null }) {
  return <>{usePeople([id])(id)}</>;
}
