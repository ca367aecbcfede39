/** The instances of one service: checks which of them are ready, and decides in which order the next request tries them. */
import { checkReadiness, type ReadinessAnswer } from './readiness.ts';
import { instanceName, type Target } from './target.ts';

export type Instances = {
  /** Returns the instances to try for a request, in order; never empty. */
  candidates(): readonly Target[];
  /** Returns the instance that opened a socket.io session. */
  targetOfSession(sid: string): Target | undefined;
  /** Records that no connection could be made, so that ready instances are tried first until this one is ready. */
  markUnreachable(target: Target): void;
  /**
   * Resolves with the readiness of each instance. A single instance is checked now. Several instances are only checked
   * now if none was ready at its last check.
   */
  readiness(): Promise<readonly ReadinessAnswer[]>;
  close(): void;
};

/** Called after the first check of one of several instances, and when it becomes ready or stops being ready. */
export type ReportInstance = (target: Target, isReady: boolean) => void;

/** Interval at which each of several instances is checked. A single instance is only checked on demand, and always tried. */
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
  /** Checks an instance. Only one check of an instance runs at a time, so that an old answer cannot replace a newer one. */
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
      // The others come last: an instance may have become ready since its last check, or still serve part of its requests.
      const others = targets.filter((target) => !first.includes(target));
      return [...first.slice(nextIndex), ...first.slice(0, nextIndex), ...others];
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
