/** Changes users, roles and groups in the access stream. */
import { ACCESS_STREAM, type AccessEvent, type AccessState } from '@rdm/contracts';
import { requireRole } from '@rdm/platform';
import type { Decision } from '../runtime/decision.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';

/**
 * Changes the access stream. Checks the actor's role in the same state: an administrator who was demoted a moment ago
 * must not demote others.
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

/**
 * The access state after this command's change. Read the state before any await, because later events change the same
 * object.
 */
export const accessAfter = (x: Execution): AccessState => x.after(kinds.access, ACCESS_STREAM);
