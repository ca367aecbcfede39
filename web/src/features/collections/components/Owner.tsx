/** The name of a user by id; "System" without one. */
import { usePeople } from '../../../lib/auth/people.ts';

export function Owner({ id }: { id: number | null }) {
  return <>{usePeople([id])(id)}</>;
}
