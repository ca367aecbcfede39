/**
 * Signing out (specification §4): nothing of the person stays in the tab, and /auth is loaded anew; who came through a
 * sign-in provider is signed out there too, and sent back from there.
 */
import type { AuthConfig } from '@rdm/contracts/identity/identity';
import { notify } from '../../components/toast/store.ts';
import { ApiError } from '../api/error.ts';
import { forgetSessionEntries, read, write } from '../api/index.ts';
import { messageOf } from '../messages/index.ts';
import { tellOtherTabs } from './other-tabs.ts';
import { type Farewell, forgetWayBack, keepFarewell, keepWayBack } from './sign-out-reason.ts';
import { providerSignOut } from './sso.ts';

/** Signs out because the person said so; a failure is told and they stay. `comeBack` leads them here when they sign in again. */
export async function logout({ comeBack = false } = {}): Promise<void> {
  try {
    await write('POST', '/api/logout');
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) {
      notify.error(messageOf(error), { title: 'Logout failed' });
      return;
    }
  }
  leave({ comeBack, to: await providerSignOut(providers) });
}

const providers = async () => (await read<AuthConfig>('/api/auth/config')).providers;

/** Signs out because time is up: the page is left even where the server cannot be told, for its own limit holds anyway. */
export async function expire(farewell: Farewell): Promise<void> {
  await write('POST', '/api/logout').catch(() => undefined);
  leave({ farewell, comeBack: true });
}

interface Leaving {
  farewell?: Farewell;
  comeBack: boolean;
  to?: string | undefined;
}

/** A reload drops every cache at once: current user, collections, answers, live rooms. */
function leave({ farewell, comeBack, to = '/auth' }: Leaving): void {
  forgetSessionEntries();
  if (comeBack) keepWayBack();
  else forgetWayBack();
  if (farewell !== undefined) keepFarewell(farewell);
  tellOtherTabs({ kind: 'ended', ...(farewell === undefined ? {} : { farewell }) });
  window.location.assign(to);
}
