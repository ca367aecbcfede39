/** Keeps the reason for a sign-out, and the page it happened on, until the sign-in page shows it. */
const KEY = 'sign-out-reason';
const WAY_BACK = 'way-back';

export interface SignOutReason {
  title: string;
  description: string;
}

export const rememberSignOutReason = (reason: SignOutReason): void =>
  sessionStorage.setItem(KEY, JSON.stringify(reason));

/** Returns the stored reason and removes it. */
export function takeSignOutReason(): SignOutReason | undefined {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return kept === null ? undefined : (JSON.parse(kept) as SignOutReason);
}

/** A user who was signed out by a timeout returns to their page after signing in. */
export const rememberReturnPath = ({ pathname, search, hash } = window.location): void =>
  sessionStorage.setItem(WAY_BACK, pathname + search + hash);
export const returnPath = (): string | null => sessionStorage.getItem(WAY_BACK);
export const forgetReturnPath = (): void => sessionStorage.removeItem(WAY_BACK);
