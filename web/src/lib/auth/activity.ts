/** When the last sign of life was, in any tab of this browser (specification §4). */
const ACTIVITY = 'last-activity';
const HEARTBEAT = 'last-heartbeat';

/** Milliseconds since the epoch; long ago where nothing is known. */
function keptTime(key: string): number {
  const kept = Number(localStorage.getItem(key));
  return Number.isFinite(kept) ? kept : 0;
}

/** All tabs share one clock, so that work in one keeps the others signed in. */
export const lastActivity = (): number => keptTime(ACTIVITY);
export const markActivity = (now = Date.now()): void => localStorage.setItem(ACTIVITY, String(now));

export const lastHeartbeat = (): number => keptTime(HEARTBEAT);
export const markHeartbeat = (now = Date.now()): void => localStorage.setItem(HEARTBEAT, String(now));
