/** Signing out of a local account (specification §4): nothing of the person stays in the tab, and /auth is loaded anew. */

import { notify } from '../../components/toast/store.ts';
import { ApiError } from '../api/error.ts';
import { forgetSessionEntries, write } from '../api/index.ts';
import { messageOf } from '../messages/index.ts';

/** A reload drops every cache at once: current user, collections, answers, live rooms. */
export async function logout(): Promise<void> {
  try {
    await write('POST', '/api/logout');
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) {
      notify.error(messageOf(error), { title: 'Logout failed' });
      return;
    }
  }
  forgetSessionEntries();
  window.location.assign('/auth');
}
