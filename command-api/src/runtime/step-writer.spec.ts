/** Tests that a step resolves only after its write, and that concurrent steps share a write. */
import { describe, expect, it } from 'vitest';
import { StepWriter } from './step-writer.ts';

/** Creates a `StepWriter`, and a list of the requested writes in order. The tests end each write. */
function createWriter() {
  const writes: { steps: Record<string, number>; done: () => void; fail: (error: Error) => void }[] = [];
  const stepWriter = new StepWriter(
    (_command, records) =>
      new Promise((resolve, reject) => {
        const steps = Object.fromEntries(Object.entries(records).map(([name, { expected }]) => [name, expected]));
        writes.push({ steps, done: resolve, fail: reject });
      }),
  );
  return { stepWriter, writes };
}

const runMicrotasks = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('steps of one command', () => {
  it('are batched while another write runs, and resolve when their own write ends', async () => {
    const { stepWriter, writes } = createWriter();
    const resolved: string[] = [];
    const remember = (name: string, expected: number) =>
      stepWriter.remember('c', name, { expected }).then(() => resolved.push(name));
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
    const { stepWriter, writes } = createWriter();
    const failing = Promise.allSettled([
      stepWriter.remember('c', 'a#0', { expected: 1 }),
      stepWriter.remember('c', 'b#0', { expected: 1 }),
    ]);
    await runMicrotasks();
    const after = stepWriter.remember('c', 'd#0', { expected: 1 });
    writes[0]?.fail(new Error('away'));
    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await runMicrotasks();
    writes[1]?.done();
    await after;
    expect(writes.map((each) => each.steps)).toEqual([{ 'a#0': 1, 'b#0': 1 }, { 'd#0': 1 }]);
  });

  it('do not wait for the steps of another command', async () => {
    const { stepWriter, writes } = createWriter();
    void stepWriter.remember('c', 'a#0', { expected: 1 });
    void stepWriter.remember('e', 'a#0', { expected: 1 });
    await runMicrotasks();
    expect(writes).toHaveLength(2);
  });
});
