/** The name of a collection's owner. */
import { usePeople } from '../../../lib/auth/people.ts';

export function Owner({ id }: { id: number }) {
  return <>{usePeople([id])(id)}</>;
}
