/** Commands for the user's own account. */
import type { CurrentUser, Register } from '@rdm/contracts/identity/identity';
import { useQueryClient } from '@tanstack/react-query';
import { ApiError, unwrap, write } from '../../../lib/api/index.ts';
import { startSession } from '../../../lib/auth/index.ts';
import { messageOf, passwordChangeMessage } from '../../../lib/messages/index.ts';

export interface Credentials {
  username: string;
  password: string;
}

/** Returns a command that signs in a user. Clears the cached data, which may belong to another user. */
function useSignInCommand<T>(path: string): (body: T) => Promise<CurrentUser> {
  const queries = useQueryClient();
  return async (body) => {
    const user = unwrap<CurrentUser>(await write('POST', path, body));
    startSession(queries, user);
    await queries.invalidateQueries({ queryKey: ['collections'] });
    return user;
  };
}

export const useLogin = () => useSignInCommand<Credentials>('/api/login');

export const useRegister = () => useSignInCommand<Register>('/api/register');

export const requestReset = (email: string): Promise<unknown> =>
  write('POST', '/api/reset-password/request', { email });

export interface PasswordReset {
  token: string;
  password: string;
  confirmPassword: string;
}

export const resetPassword = (reset: PasswordReset): Promise<unknown> => write('POST', '/api/reset-password', reset);

export interface PasswordChange {
  currentPassword: string;
  newPassword: string;
  confirmNewPassword: string;
}

const UNEXPECTED = 'An unexpected error occurred. Please try again.';

/** Returns the error message (specification §7 and §8); undefined after a successful change. */
export async function changePassword(change: PasswordChange): Promise<string | undefined> {
  try {
    await write('POST', '/api/change-password', change);
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 0) return messageOf(error, UNEXPECTED);
    return passwordChangeMessage(error.raw, error.status, error.statusText);
  }
}
