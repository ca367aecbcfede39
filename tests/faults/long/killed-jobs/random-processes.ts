/** Kills a process of the product: a service, a store, or a child process of command-api that reads files. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { TestStack } from '../../../test-stack.ts';

export const KILLABLE_PROCESSES = ['command-api', 'file process', 'projector', 'event-store', 'postgres'] as const;
export type KillableProcess = (typeof KILLABLE_PROCESSES)[number];

/** Returns the pid of the child process of command-api that reads files for this work; undefined if none runs. */
function fileProcess(stack: TestStack, work: string): number | undefined {
  const pid = readdirSync('/proc').find((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const environment = readFileSync(`/proc/${name}/environ`, 'utf8');
      return environment.includes(`"work":"${work}"`) && environment.includes(JSON.stringify(stack.databaseUrl));
    } catch {
      return false; // The process has ended, or belongs to another user.
    }
  });
  return pid === undefined ? undefined : Number(pid);
}

/** A pool for tests that kill PostgreSQL. It repeats a failed query for up to a minute. */
export class RetryingPool {
  readonly #pool: pg.Pool;

  constructor(connectionString: string) {
    this.#pool = new pg.Pool({ connectionString, max: 2 });
    // Ignore the errors of idle connections that a killed server ends.
    this.#pool.on('error', () => undefined);
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    for (const end = Date.now() + 60_000; ; await pause(50)) {
      try {
        return (await this.#pool.query<Row>(text, values)).rows;
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/**
 * Kills a process, waits until all parts serve again, and expires all leases. Returns the killed process: if no
 * file process runs, command-api is killed instead.
 */
export async function killProcess(
  stack: TestStack,
  pool: RetryingPool,
  which: KillableProcess,
  work: 'drafts' | 'rows',
): Promise<KillableProcess> {
  const filePid = which === 'file process' ? fileProcess(stack, work) : undefined;
  const part = stack.parts[which === 'file process' ? 'command-api' : which];
  await part?.ready();
  if (filePid === undefined) part?.kill9();
  else process.kill(filePid, 'SIGKILL');
  await pause(50);
  for (const each of Object.values(stack.parts)) await each.ready();
  await pool.query('UPDATE jobs.progress SET leased_until = now() WHERE leased_until > now()');
  await pool.query('UPDATE command.import_drafts SET leased_until = now() WHERE leased_until > now()');
  return which === 'file process' && filePid === undefined ? 'command-api' : which;
}

/** Returns the number of kills of each process: "5 command-api, 0 file process, 2 projector, …". */
export function killsText(kills: readonly KillableProcess[]): string {
  return KILLABLE_PROCESSES.map((name) => `${kills.filter((each) => each === name).length} ${name}`).join(', ');
}
