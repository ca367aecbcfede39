/** The inactivity state of a session, and the sampling of user activity (specification §4). */
import {
  ACTIVITY_SAMPLING_MS,
  HEARTBEAT_INTERVAL_MS,
  SESSION_COUNTDOWN_SECONDS,
  SESSION_TIMEOUT_MINUTES,
  SESSION_WARNING_MINUTES,
} from '@rdm/contracts/constants';
import { lastHeartbeat, markActivity, markHeartbeat } from '../../lib/auth/activity.ts';

const MINUTE_MS = 60_000;

export type InactivityState = { kind: 'active' } | { kind: 'warning'; secondsLeft: number } | { kind: 'expired' };

/** Times are in milliseconds since the epoch. `secondsLeft` is at most `SESSION_COUNTDOWN_SECONDS`. */
export function inactivityState(lastActivity: number, now: number): InactivityState {
  const idle = now - lastActivity;
  if (idle >= SESSION_TIMEOUT_MINUTES * MINUTE_MS) return { kind: 'expired' };
  if (idle < SESSION_WARNING_MINUTES * MINUTE_MS) return { kind: 'active' };
  const secondsLeft = Math.ceil((SESSION_TIMEOUT_MINUTES * MINUTE_MS - idle) / 1_000);
  return { kind: 'warning', secondsLeft: Math.min(SESSION_COUNTDOWN_SECONDS, secondsLeft) };
}

export const countdown = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

const ACTIVITY_EVENTS = ['mousemove', 'mousedown', 'keydown', 'scroll', 'touchstart'] as const;

export interface ActivityWatch {
  /** Returns false while the warning is open: activity then does not extend the session. */
  extendsSession: () => boolean;
  /** Called after activity, at most once per `HEARTBEAT_INTERVAL_MS` across all tabs. */
  onHeartbeat: () => void;
}

/** Samples activity at most once a second. Returns a function that stops the sampling. */
export function watchActivity({ extendsSession, onHeartbeat }: ActivityWatch): () => void {
  let sampledAt = 0;
  const sample = () => {
    const now = Date.now();
    if (now - sampledAt < ACTIVITY_SAMPLING_MS || !extendsSession()) return;
    sampledAt = now;
    markActivity(now);
    if (now - lastHeartbeat() < HEARTBEAT_INTERVAL_MS) return;
    markHeartbeat(now);
    onHeartbeat();
  };
  for (const name of ACTIVITY_EVENTS) document.addEventListener(name, sample, { capture: true, passive: true });
  return () => {
    for (const name of ACTIVITY_EVENTS) document.removeEventListener(name, sample, { capture: true });
  };
}
