/** Stores the reason for a sign-out, which the sign-in page shows, and the page to which the next sign-in returns. */
const KEY = 'sign-out-reason';
const RETURN_PATH = 'way-back';

export interface SignOutReason {
  title: string;
  description: string;
  /** The kind of the toast: `success` after a password change, otherwise `info`. */
  kind?: 'success';
}

export const rememberSignOutReason = (reason: SignOutReason): void =>
  sessionStorage.setItem(KEY, JSON.stringify(reason));

/** Returns the stored reason and removes it. */
export function takeSignOutReason(): SignOutReason | undefined {
  const stored = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return stored === null ? undefined : (JSON.parse(stored) as SignOutReason);
}

/** Stores the current page, to which the next sign-in returns. */
export const rememberReturnPath = ({ pathname, search, hash } = window.location): void =>
  sessionStorage.setItem(RETURN_PATH, pathname + search + hash);
export const returnPath = (): string | null => sessionStorage.getItem(RETURN_PATH);
export const forgetReturnPath = (): void => sessionStorage.removeItem(RETURN_PATH);
