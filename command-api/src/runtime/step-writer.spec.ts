/** Tests that a step resolves only after its write, and that concurrent steps share a write. */
import { describe, expect, it } from 'vitest';
import { StepWriter } from './step-writer.ts';

/** A writer that lists the requested writes in order. The tests end each write. */
function writer() {
  const writes: { steps: Record<string, number>; done: () => void; fail: (error: Error) => void }[] = [];
  const steps = new StepWriter(
    (_command, records) =>
      new Promise((resolve, reject) => {
        const steps = Object.fromEntries(Object.entries(records).map(([name, { expected }]) => [name, expected]));
        writes.push({ steps, done: resolve, fail: reject });
      }),
  );
  return { steps, writes };
}

const runMicrotasks = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('steps of one command', () => {
  it('are batched while another write runs, and resolve when their own write ends', async () => {
    const { steps, writes } = writer();
    const resolved: string[] = [];
    const remember = (name: string, expected: number) =>
      steps.remember('c', name, { expected }).then(() => resolved.push(name));
    const first = remember('a#0', 1);
    await runMicrotasks();
    const others = [remember('b#0', 2), remember('d#0', -1)];
    await runMicrotasks();
    expect(writes.map((each) => each.steps)).toEqual([{ 'a#0': 1 }]);
    writes[0]?.done();
    await first;
    await runMicrotasks();
    expect(resolved).toEqual(['a#0']);
    expect(writes.map((each) => each.steps)).toEqual([{ 'a#0': 1 }, { 'b#0': 2, 'd#0': -1 }]);
    writes[1]?.done();
    await Promise.all(others);
    expect(resolved).toEqual(['a#0', 'b#0', 'd#0']);
  });

  it('fail together if they share a write, and later steps are still written', async () => {
    const { steps, writes } = writer();
    const failing = Promise.allSettled([
      steps.remember('c', 'a#0', { expected: 1 }),
      steps.remember('c', 'b#0', { expected: 1 }),
    ]);
    await runMicrotasks();
    const after = steps.remember('c', 'd#0', { expected: 1 });
    writes[0]?.fail(new Error('away'));
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await runMicrotasks();
    writes[1]?.done();
    await after;
    expect(writes.map((each) => each.steps)).toEqual([{ 'a#0': 1, 'b#0': 1 }, { 'd#0': 1 }]);
  });

  it('do not wait for the steps of another command', async () => {
    const { steps, writes } = writer();
    void steps.remember('c', 'a#0', { expected: 1 });
    void steps.remember('e', 'a#0', { expected: 1 });
    await runMicrotasks();
    expect(writes).toHaveLength(2);
  });
});
