/** The name of the owner; "System" if there is none. */
import { usePeople } from '../../../lib/auth/people.ts';

export function Owner({ id }: { id: number | null }) {
  return <>{usePeople([id])(id)}</>;
}
