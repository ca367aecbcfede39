/** Tests the salt of a command, and the ids that it allocates. */
import { newSalt } from '@rdm/platform';
import { describe, expect, it } from 'vitest';
import { type CommandLog, Execution } from './execution.ts';
import { outboxFact } from './outbox.ts';

const META = {
  commandId: '0b2f7c1e-6a53-5d0e-9a3d-2f4d1c7a9e10',
  actorId: 1,
  requestId: 'r',
  correlationId: 'r',
  sourceType: 'UI',
} as const;
const FACT = { type: 'PasswordChanged' as const, data: { userId: 1 } };

/** The row of a command that two runs share, and a sequence that never repeats an id. */
function createSharedCommand() {
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
  return {
    run: (allocated: number[][] = []) =>
      new Execution(META, { allocated, steps: {} }, { pool, log, now: () => new Date() } as never),
    allocated: () => allocated,
  };
}

describe('the salt of a command', () => {
  const saltsOf = async (stored: { salt?: string }) => {
    const salts: unknown[] = [];
    const streams = {
      change: async (_kind: unknown, _stream: string, { metadata }: { metadata: { salt?: string } }) => {
        salts.push(metadata.salt);
        return { result: undefined, state: undefined, revision: 0, position: 1n };
      },
    };
    const execution = new Execution({ ...META, ...stored }, { allocated: [], steps: {} }, {
      streams,
      now: () => new Date(),
    } as never);
    for (const stream of ['dataSet-1', 'dataSet-2']) {
      await execution.change({} as never, stream, [], () => ({ events: [], result: undefined }));
    }
    return salts;
  };

  it('is the stored salt in all events and facts of the command', async () => {
    const salt = newSalt();
    expect(await saltsOf({ salt })).toEqual([salt, salt]);
    expect(outboxFact({ ...META, salt }, 'user-1', FACT, new Date(0)).metadata).toMatchObject({ salt });
  });

  it('is generated for a command that was stored without a salt', async () => {
    const [first, second] = await saltsOf({});
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
    expect((await saltsOf({}))[0]).not.toBe(first);
    expect(outboxFact(META, 'user-1', FACT, new Date(0)).metadata['salt']).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('ids of a command', () => {
  it('are the same when the command runs again', async () => {
    const { run, allocated } = createSharedCommand();
    const first = run();
    const ids = [await first.allocateOne('data_set_ids'), await first.allocate('instance_ids', 2)];
    const repeated = run(allocated());
    expect([await repeated.allocateOne('data_set_ids'), await repeated.allocate('instance_ids', 2)]).toEqual(ids);
  });

  it('are the same in two concurrent runs', async () => {
    const { run } = createSharedCommand();
    const [slow, fast] = [run(), run()];
    const id = await fast.allocateOne('data_set_ids');
    expect(await slow.allocateOne('data_set_ids')).toBe(id);
    const rows = await slow.allocate('instance_ids', 2);
    expect(await fast.allocate('instance_ids', 2)).toEqual(rows);
  });
});
