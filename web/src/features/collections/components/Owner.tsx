/** The name of the owner of a collection; "System" if the collection has no owner. */
import { usePeople } from '../../../lib/auth/people.ts';

export function Owner({ id }: { id: number | null }) {
  return <>{usePeople([id])(id)}</>;
}
