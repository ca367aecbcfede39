/**
 * Signing out (specification §4): removes the data of the user from the tab and loads /auth. A logout also signs the
 * user out at the sign-in provider, if possible; the provider then redirects to the product. A timeout ends only the
 * session of the product.
 */
import type { AuthConfig } from '@rdm/contracts/identity/identity';
import { notify } from '../../components/toast/store.ts';
import { ApiError } from '../api/error.ts';
import { forgetSessionEntries, read, write } from '../api/index.ts';
import { messageOf } from '../messages/index.ts';
import { notifyOtherTabs } from './other-tabs.ts';
import { forgetReturnPath, rememberReturnPath, rememberSignOutReason, type SignOutReason } from './sign-out-reason.ts';
import { takeSignOutUrl } from './sso.ts';

/** Signs out, or shows why this failed. With `comeBack`, the next sign-in returns to this page. */
export async function logout({ comeBack = false } = {}): Promise<void> {
  try {
    await write('POST', '/api/logout');
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) {
      notify.error(messageOf(error), { title: 'Logout failed' });
      return;
    }
  }
  leave({ comeBack, to: await takeSignOutUrl(readProviders) });
}

const readProviders = async () => (await read<AuthConfig>('/api/auth/config')).providers;

/**
 * Signs out after a timeout. The page is left even if the request fails, because the server ends the session itself.
 */
export async function expire(reason: SignOutReason): Promise<void> {
  await write('POST', '/api/logout').catch(() => undefined);
  leave({ reason, comeBack: true });
}

interface LeaveOptions {
  reason?: SignOutReason;
  comeBack: boolean;
  to?: string | undefined;
}

/** Loads another page, which clears all caches at once: the current user, query results and live rooms. */
function leave({ reason, comeBack, to = '/auth' }: LeaveOptions): void {
  forgetSessionEntries();
  if (comeBack) rememberReturnPath();
  else forgetReturnPath();
  if (reason !== undefined) rememberSignOutReason(reason);
  notifyOtherTabs({ kind: 'ended', ...(reason === undefined ? {} : { reason }) });
  window.location.assign(to);
}
