/** Why a session ended, kept in the tab until the sign-in page has said it, and the page it ended on. */
const KEY = 'farewell';
const WAY_BACK = 'way-back';

export interface Farewell {
  title: string;
  description: string;
}

export const keepFarewell = (farewell: Farewell): void => sessionStorage.setItem(KEY, JSON.stringify(farewell));

/** What was kept, once. */
export function takeFarewell(): Farewell | undefined {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return kept === null ? undefined : (JSON.parse(kept) as Farewell);
}

/** Who had to leave without meaning to comes back to where they were, once signed in. */
export const keepWayBack = ({ pathname, search, hash } = window.location): void =>
  sessionStorage.setItem(WAY_BACK, pathname + search + hash);
export const wayBack = (): string | null => sessionStorage.getItem(WAY_BACK);
export const forgetWayBack = (): void => sessionStorage.removeItem(WAY_BACK);
