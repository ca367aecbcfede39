/** Checks which instances of a service are ready, and orders the instances for the next request. */
import { checkReadiness, type ReadinessAnswer } from './readiness.ts';
import { instanceName, type Target } from './target.ts';

export type Instances = {
  /** Returns the instances to try for a request, in order; never empty. */
  candidates(): readonly Target[];
  /** Returns the instance that opened a socket.io session. */
  targetOfSession(sid: string): Target | undefined;
  /** Records a failed connection: the instance comes after ready instances until a check finds it ready. */
  markUnreachable(target: Target): void;
  /** Resolves with the readiness of each instance. Checks again if no instance was ready, or if there is only one. */
  readiness(): Promise<readonly ReadinessAnswer[]>;
  close(): void;
};

/** Called with the first readiness of an instance and with each change; never called for a single instance. */
export type ReportInstance = (target: Target, isReady: boolean) => void;

/** Interval between the checks of an instance. A single instance is only checked on demand. */
const CHECK_EVERY_MS = 1_000;

export function instancesOf(targets: readonly Target[], report: ReportInstance = () => {}): Instances {
  const names = new Map(targets.map((target) => [instanceName(target), target]));
  const targetOfSession = (sid: string) => names.get(sid.slice(0, sid.indexOf('.')));
  if (targets.length === 1) {
    return {
      candidates: () => targets,
      targetOfSession,
      markUnreachable: () => {},
      readiness: () => Promise.all(targets.map(checkReadiness)),
      close: () => {},
    };
  }

  const lastAnswers = new Map<Target, ReadinessAnswer>();
  let nextIndex = 0;
  const isReady = (target: Target) => lastAnswers.get(target)?.status === 200;

  function setReadiness(target: Target, answer: ReadinessAnswer): void {
    const [wasKnown, wasReady] = [lastAnswers.has(target), isReady(target)];
    lastAnswers.set(target, answer);
    if (isReady(target) !== wasReady || !wasKnown) report(target, isReady(target));
  }

  const timers = new Map<Target, NodeJS.Timeout>();
  const running = new Map<Target, Promise<void>>();
  let isClosed = false;
  /** Runs one check of an instance at a time, so that an old answer cannot replace a newer one. */
  function check(target: Target): Promise<void> {
    const current =
      running.get(target) ??
      checkReadiness(target).then((answer) => {
        running.delete(target);
        setReadiness(target, answer);
      });
    running.set(target, current);
    return current;
  }
  async function checkRepeatedly(target: Target): Promise<void> {
    await check(target);
    if (!isClosed) timers.set(target, setTimeout(checkRepeatedly, CHECK_EVERY_MS, target).unref());
  }
  const firstCheck = Promise.all(targets.map(checkRepeatedly));

  return {
    candidates() {
      const ready = targets.filter(isReady);
      const first = ready.length > 0 ? ready : targets;
      nextIndex = (nextIndex + 1) % first.length;
      // An instance that was not ready comes last: it may be ready by now, or serve some requests.
      const unready = targets.filter((target) => !first.includes(target));
      return [...first.slice(nextIndex), ...first.slice(0, nextIndex), ...unready];
    },
    targetOfSession,
    markUnreachable(target) {
      if (targets.includes(target)) setReadiness(target, { status: 0, detail: 'unreachable' });
    },
    async readiness() {
      await firstCheck;
      // An instance may have become ready since its last check.
      if (!targets.some(isReady)) await Promise.all(targets.map(check));
      return targets.flatMap((target) => lastAnswers.get(target) ?? []);
    },
    close() {
      isClosed = true;
      for (const timer of timers.values()) clearTimeout(timer);
    },
  };
}
