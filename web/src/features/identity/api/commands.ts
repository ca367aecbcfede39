/** What a person does with their own account. */
import type { CurrentUser } from '@rdm/contracts/identity';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, unwrapped, write } from '../../../lib/api/index.ts';
import { signedIn } from '../../../lib/auth/index.ts';
import { messageOf, passwordChangeMessage } from '../../../lib/messages/index.ts';

export interface Credentials {
  username: string;
  password: string;
}

/** Signs in; the collections one may see are other people's until then. */
export function useLogin(): (credentials: Credentials) => Promise<CurrentUser> {
  const queries = useQueryClient();
  return async (credentials) => {
    const user = unwrapped<CurrentUser>(await write('POST', '/api/login', credentials));
    signedIn(queries, user);
    await queries.invalidateQueries({ queryKey: ['collections'] });
    return user;
  };
}

export interface PasswordChange {
  currentPassword: string;
  newPassword: string;
  confirmNewPassword: string;
}

const FAILED = 'Failed to change password';
const UNEXPECTED = 'An unexpected error occurred. Please try again.';

/** Undefined when the password was changed, else what to say (specification §7 and §8). */
export async function changePassword(change: PasswordChange): Promise<string | undefined> {
  try {
    await write('POST', '/api/change-password', change);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0) return messageOf(error, UNEXPECTED);
    const said = passwordChangeMessage(error.raw, error.status, error.statusText);
    return said === '' ? FAILED : said;
  }
}
