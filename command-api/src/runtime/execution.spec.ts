import { describe, expect, it } from 'vitest';
import { type CommandLog, Execution } from './execution.ts';

/** A command row shared by two runs, and a sequence that never repeats an id. */
function shared() {
  let allocated: number[][] = [];
  let last = 0;
  const log: CommandLog = {
    rememberIds: async (_commandId, ids) => {
      if (allocated.length < ids.length) allocated = ids.map((each) => [...each]);
      return allocated;
    },
    rememberStep: async () => undefined,
  };
  const pool = {
    query: async (_sql: string, [, count]: [string, number]) => ({
      rows: Array.from({ length: count }, () => ({ id: ++last })),
    }),
  };
  const meta = { commandId: 'c', actorId: 1, requestId: 'r', correlationId: 'r', sourceType: 'UI' } as const;
  return {
    run: (allocated: number[][] = []) =>
      new Execution(meta, { allocated, steps: {} }, { pool, log, now: () => new Date() } as never),
    allocated: () => allocated,
  };
}

describe('ids of a command', () => {
  it('are allocated once: the command gets the same ids when it runs again', async () => {
    const { run, allocated } = shared();
    const first = run();
    const ids = [await first.allocateOne('data_set_ids'), await first.allocate('instance_ids', 2)];
    const repeated = run(allocated());
    expect([await repeated.allocateOne('data_set_ids'), await repeated.allocate('instance_ids', 2)]).toEqual(ids);
  });

  it('are those of the first of two concurrent runs', async () => {
    const { run } = shared();
    const [slow, fast] = [run(), run()];
    const id = await fast.allocateOne('data_set_ids');
    expect(await slow.allocateOne('data_set_ids')).toBe(id);
    const rows = await slow.allocate('instance_ids', 2);
    expect(await fast.allocate('instance_ids', 2)).toEqual(rows);
  });
});
