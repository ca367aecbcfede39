/** Tests the supervisor: order of starts and stops, restarts, and when it gives up a part. */
import { describe, expect, it } from 'vitest';
import { deferred } from './deferred.ts';
import { type Exit, type Part, PartGivenUp, type Run, type SupervisorEvent, supervise } from './supervisor.ts';

/** Returns a part without a process; the test ends its runs. */
function fakePart(name: string, needs: string[] = [], { readyAtOnce = true } = {}) {
  const runs: { becomeReady(): void; refuse(reason: string): void; end(exit: Partial<Exit>): void }[] = [];
  const waiting: (() => void)[] = [];
  const part: Part = {
    name,
    needs,
    async start(): Promise<Run> {
      journal.push(`start ${name}`);
      const ready = deferred<void>();
      const exited = deferred<Exit>();
      const refused = deferred<string>();
      const end = (exit: Partial<Exit>) => exited.resolve({ code: null, signal: null, ...exit });
      runs.push({ becomeReady: ready.resolve, refuse: refused.resolve, end });
      for (const started of waiting.splice(0)) started();
      if (readyAtOnce) ready.resolve();
      return {
        pid: runs.length,
        ready: ready.promise,
        exited: exited.promise,
        refused: refused.promise,
        async stop() {
          journal.push(`stop ${name}`);
          end({ signal: 'SIGTERM' });
        },
      };
    },
  };
  const started = async (count: number) => {
    while (runs.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  return { part, runs, started };
}

let journal: string[] = [];
const newOptions = () => {
  journal = [];
  const events: SupervisorEvent[] = [];
  return { events, report: (event: SupervisorEvent) => void events.push(event), backoff: () => 1 };
};

describe('the supervisor', () => {
  it('starts a part as soon as its dependencies are ready', async () => {
    const options = newOptions();
    const store = fakePart('store', [], { readyAtOnce: false });
    const service = fakePart('service', ['store']);
    const frontDoor = fakePart('door');
    const supervisor = supervise([frontDoor.part, service.part, store.part], {
      ...options,
      stopOrder: [['door', 'service', 'store']],
    });
    const starting = supervisor.start();
    await store.started(1);
    expect(journal).toEqual(['start door', 'start store']);
    store.runs[0]?.becomeReady();
    await starting;
    expect(journal).toEqual(['start door', 'start store', 'start service']);
    await supervisor.stop();
  });

  it('stops the groups in order', async () => {
    const options = newOptions();
    const parts = ['store', 'reader', 'writer', 'door'].map((name) => fakePart(name).part);
    const supervisor = supervise(parts, { ...options, stopOrder: [['door'], ['reader', 'writer'], ['store']] });
    await supervisor.start();
    journal = [];
    await supervisor.stop();
    expect(journal).toEqual(['stop door', 'stop reader', 'stop writer', 'stop store']);
  });

  it('restarts a part that ended, but not the parts that depend on it', async () => {
    const options = newOptions();
    const store = fakePart('store');
    const service = fakePart('service', ['store']);
    const supervisor = supervise([store.part, service.part], { ...options, stopOrder: [['service'], ['store']] });
    await supervisor.start();
    store.runs[0]?.end({ signal: 'SIGKILL' });
    await store.started(2);
    expect(supervisor.parts['store']?.starts).toBe(2);
    expect(service.runs).toHaveLength(1);
    expect(options.events).toContainEqual({
      type: 'failed',
      part: 'store',
      why: 'killed by SIGKILL',
      failures: 1,
      retryMs: 1,
    });
    await supervisor.stop();
  });

  it('gives up a part that fails repeatedly, with the reason of the last failure', async () => {
    const options = newOptions();
    const part = fakePart('service', [], { readyAtOnce: false });
    const supervisor = supervise([part.part], { ...options, stopOrder: [['service']], maxFailures: 3 });
    const starting = supervisor.start();
    starting.catch(() => {});
    for (const count of [1, 2, 3]) {
      await part.started(count);
      part.runs[count - 1]?.end({ code: 1 });
    }
    await expect(starting).rejects.toThrow(new PartGivenUp('service', 3, 'exit code 1'));
    await supervisor.stop();
    expect(part.runs).toHaveLength(3);
  });

  it('does not give up a part while the disk is full', async () => {
    const options = newOptions();
    const { part, runs, started } = fakePart('database');
    let failures = 0;
    const full: Part = {
      ...part,
      start: () => {
        if (runs.length === 0 || failures++ >= 5) return part.start();
        return Promise.reject(Object.assign(new Error('the disk is full'), { code: 'ENOSPC' }));
      },
    };
    const supervisor = supervise([full], { ...options, stopOrder: [['database']], maxFailures: 3 });
    await supervisor.start();
    runs[0]?.end({ code: 1 });
    await started(2);
    expect(supervisor.parts['database']?.starts).toBe(7);
    await supervisor.stop();
  });

  it('gives up a part immediately if its first start fails', async () => {
    const part: Part = {
      name: 'service',
      needs: [],
      start: () => Promise.reject(new Error('there is no such program')),
    };
    const supervisor = supervise([part], { ...newOptions(), stopOrder: [['service']], maxFailures: 3 });
    await expect(supervisor.start()).rejects.toThrow('there is no such program');
  });

  it('gives up a starting part immediately if it refuses to serve', async () => {
    const options = newOptions();
    const part = fakePart('store');
    const supervisor = supervise([part.part], { ...options, stopOrder: [['store']] });
    await supervisor.start();
    part.runs[0]?.refuse('events are missing');
    await new Promise((passed) => setImmediate(passed));
    expect(journal).toEqual(['start store']); // a part that serves is not stopped
    await supervisor.stop();

    const neverReady = fakePart('store', [], { readyAtOnce: false });
    const secondSupervisor = supervise([neverReady.part], { ...options, stopOrder: [['store']] });
    const starting = secondSupervisor.start();
    starting.catch(() => {});
    await neverReady.started(1);
    neverReady.runs[0]?.end({ code: 1 });
    await neverReady.started(2);
    neverReady.runs[1]?.refuse('events are missing');
    await expect(starting).rejects.toThrow('store could not be started: events are missing');
    await secondSupervisor.stop();
    expect(neverReady.runs).toHaveLength(2);
  });

  it('resets the number of failures after a run that was ready for long enough', async () => {
    const options = newOptions();
    const part = fakePart('service');
    const supervisor = supervise([part.part], { ...options, stopOrder: [['service']], maxFailures: 2, steadyAfter: 0 });
    await supervisor.start();
    for (const count of [1, 2, 3]) {
      await part.started(count);
      await supervisor.parts['service']?.ready();
      await new Promise((passed) => setTimeout(passed, 2)); // longer than steadyAfter
      part.runs[count - 1]?.end({ code: 1 });
    }
    await part.started(4);
    expect(
      options.events.filter(({ type }) => type === 'failed').map((event) => 'failures' in event && event.failures),
    ).toEqual([1, 1, 1]);
    await supervisor.stop();
  });

  it('restarts on request without counting a failure', async () => {
    const options = newOptions();
    const part = fakePart('service');
    const supervisor = supervise([part.part], { ...options, stopOrder: [['service']] });
    await supervisor.start();
    await supervisor.parts['service']?.restart();
    expect(supervisor.parts['service']?.starts).toBe(2);
    expect(options.events.map(({ type }) => type)).toEqual(['ready', 'ready']);
    await supervisor.stop();
  });

  it('starts nothing after a stop during the start', async () => {
    const options = newOptions();
    const store = fakePart('store', [], { readyAtOnce: false });
    const service = fakePart('service', ['store']);
    const supervisor = supervise([store.part, service.part], { ...options, stopOrder: [['service'], ['store']] });
    void supervisor.start();
    await store.started(1);
    await supervisor.stop();
    store.runs[0]?.becomeReady();
    await new Promise((passed) => setImmediate(passed));
    expect(journal).toEqual(['start store', 'stop store']);
  });

  it('refuses a part that is missing in the stop order', () => {
    expect(() => supervise([fakePart('service').part], { ...newOptions(), stopOrder: [] })).toThrow('service');
  });
});
