/** Signing out of a local account (specification §4): nothing of the person stays in the tab, and /auth is loaded anew. */

import { notify } from '../../components/toast/store.ts';
import { ApiError } from '../api/error.ts';
import { forgetSessionEntries, write } from '../api/index.ts';
import { messageOf } from '../messages/index.ts';

/** A notice that outlives the reload. */
const FAREWELL = 'farewell';

export interface Farewell {
  title: string;
  description: string;
}

/** Signs out because the person said so; a failure is told and they stay. */
export async function logout(): Promise<void> {
  try {
    await write('POST', '/api/logout');
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) {
      notify.error(messageOf(error), { title: 'Logout failed' });
      return;
    }
  }
  leave();
}

/** Signs out because time is up: the page is left even where the server cannot be told, its own limit holds anyway. */
export async function expire(farewell: Farewell): Promise<void> {
  try {
    await write('POST', '/api/logout');
  } finally {
    leave(farewell);
  }
}

/** A reload drops every cache at once: current user, collections, answers, live rooms. */
function leave(farewell?: Farewell): void {
  forgetSessionEntries();
  if (farewell !== undefined) sessionStorage.setItem(FAREWELL, JSON.stringify(farewell));
  window.location.assign('/auth');
}

/** Says on the sign-in page why the session ended. */
export function sayFarewell(): void {
  const kept = sessionStorage.getItem(FAREWELL);
  if (kept === null) return;
  sessionStorage.removeItem(FAREWELL);
  const { title, description } = JSON.parse(kept) as Farewell;
  notify.info(title, { description });
}
