/** Whether an administrator can release the e-mail address of an account. */
import type { UserView } from '@rdm/contracts/identity/identity';
import { isLocal } from './UserState.tsx';

/** Why the address cannot be released; undefined if it can be released. */
export function releaseRefusal(user: Pick<UserView, 'email' | 'isEmailProved' | 'authProvider'>): string | undefined {
  if (!isLocal(user)) return 'Their sign-in provider manages their e-mail address';
  if (user.email === '') return 'They have no e-mail address';
  if (user.isEmailProved) return 'They have confirmed their e-mail address';
  return undefined;
}
