/** Stores the times of the last user activity and the last heartbeat for all tabs of the browser (specification §4). */
const ACTIVITY = 'last-activity';
const HEARTBEAT = 'last-heartbeat';

/** Reads a time in milliseconds since the epoch; 0 if it is unknown. */
function storedTime(key: string): number {
  const stored = Number(localStorage.getItem(key));
  return Number.isFinite(stored) ? stored : 0;
}

/** All tabs share these times, so that activity in one tab keeps the others signed in. */
export const lastActivity = (): number => storedTime(ACTIVITY);
export const markActivity = (now = Date.now()): void => localStorage.setItem(ACTIVITY, String(now));

export const lastHeartbeat = (): number => storedTime(HEARTBEAT);
export const markHeartbeat = (now = Date.now()): void => localStorage.setItem(HEARTBEAT, String(now));
