/** Decisions on `access-main` by whoever may make them in the very state that is decided on. */
import { ACCESS_STREAM, type AccessEvent, type AccessState } from '@rdm/contracts';
import { requireRole } from '@rdm/platform';
import type { Decision } from '../runtime/decision.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';

/**
 * Changes users, roles or groups. What the route asks of the actor's role is asked again of the state that is decided
 * on: somebody demoted a moment ago must not demote in return.
 */
export async function changeAccess<Result>(
  x: Execution,
  decide: (access: AccessState) => Decision<AccessEvent, Result>,
): Promise<Result> {
  const actor = await x.actor();
  const { needs } = x.meta;
  return x.change(kinds.access, ACCESS_STREAM, [], (access) => {
    if (needs) requireRole(needs, access, actor);
    return decide(access);
  });
}

/** The access state that this command's change led to; it folds in place: ask at once. */
export const accessAfter = (x: Execution): AccessState => x.after(kinds.access, ACCESS_STREAM);
