/** The instances of one service: which of them are ready, and in which order the next request tries them. */
import { checkReadiness, type ReadinessAnswer } from './readiness.ts';
import { instanceName, type Target } from './target.ts';

export type Instances = {
  /** The instances to try for a request, in order; never empty. */
  candidates(): readonly Target[];
  /** The instance that opened a socket.io session. */
  ofSession(sid: string): Target | undefined;
  /** Call when no connection could be made: an instance of this service is left out until it is ready again. */
  unreachable(target: Target): void;
  /** The last known readiness of each instance. */
  answers(): Promise<readonly ReadinessAnswer[]>;
  close(): void;
};

/** Called when an instance is left out, and when it takes requests again. */
export type ReportInstance = (target: Target, isReady: boolean) => void;

/** How often each of several instances is checked; a single one is checked on demand, and always tried. */
const CHECK_EVERY_MS = 1_000;

export function instancesOf(targets: readonly Target[], report: ReportInstance = () => {}): Instances {
  const names = new Map(targets.map((target) => [instanceName(target), target]));
  const ofSession = (sid: string) => names.get(sid.slice(0, sid.indexOf('.')));
  if (targets.length === 1) {
    return {
      candidates: () => targets,
      ofSession,
      unreachable: () => {},
      answers: () => Promise.all(targets.map(checkReadiness)),
      close: () => {},
    };
  }

  const known = new Map<Target, ReadinessAnswer>();
  let turn = 0;
  const isReady = (target: Target) => known.get(target)?.status === 200;

  function note(target: Target, answer: ReadinessAnswer): void {
    const [wasKnown, wasReady] = [known.has(target), isReady(target)];
    known.set(target, answer);
    if (isReady(target) !== wasReady || !wasKnown) report(target, isReady(target));
  }

  const timers = new Map<Target, NodeJS.Timeout>();
  let isClosed = false;
  /** One check of an instance at a time: an old answer cannot replace a newer one. */
  async function check(target: Target): Promise<void> {
    note(target, await checkReadiness(target));
    if (!isClosed) timers.set(target, setTimeout(check, CHECK_EVERY_MS, target).unref());
  }
  const firstCheck = Promise.all(targets.map(check));

  return {
    candidates() {
      const ready = targets.filter(isReady);
      // A service that reports a fault may still serve a part of its requests.
      const among = ready.length > 0 ? ready : targets;
      turn = (turn + 1) % among.length;
      return [...among.slice(turn), ...among.slice(0, turn)];
    },
    ofSession,
    unreachable(target) {
      if (targets.includes(target)) note(target, { status: 0, detail: 'unreachable' });
    },
    async answers() {
      await firstCheck;
      return targets.flatMap((target) => known.get(target) ?? []);
    },
    close() {
      isClosed = true;
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
