/** Users as the access log knows them: registered with a role, active or not. Never a name. */
import { type AccessEvent, type AccessState, Refusal } from '@rdm/contracts';
import { type Decision, decided, nothing } from '../decision.ts';

/** Registers a user with a role that exists; registering the same one again changes nothing. */
export function registerUser(access: AccessState, userId: number, roleId: number): Decision<AccessEvent> {
  if (!access.roles.has(roleId)) throw new Refusal('INVALID', `There is no role ${roleId}`);
  return access.users.has(userId) ? nothing() : decided({ type: 'UserRegistered', data: { userId, roleId } });
}
