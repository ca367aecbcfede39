/** Keeps the reason for a sign-out, and the page it happened on, until the sign-in page shows it. */
const KEY = 'farewell';
const WAY_BACK = 'way-back';

export interface Farewell {
  title: string;
  description: string;
}

export const keepFarewell = (farewell: Farewell): void => sessionStorage.setItem(KEY, JSON.stringify(farewell));

/** Returns the stored reason and removes it. */
export function takeFarewell(): Farewell | undefined {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return kept === null ? undefined : (JSON.parse(kept) as Farewell);
}

/** A user who was signed out by a timeout returns to their page after signing in. */
export const keepWayBack = ({ pathname, search, hash } = window.location): void =>
  sessionStorage.setItem(WAY_BACK, pathname + search + hash);
export const wayBack = (): string | null => sessionStorage.getItem(WAY_BACK);
export const forgetWayBack = (): void => sessionStorage.removeItem(WAY_BACK);
