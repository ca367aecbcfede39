/** Scavenges the event store on request, one scavenge at a time, and reports the state of the last scavenge. */
import type { Log, Pool } from '@rdm/platform';
import { z } from 'zod';
import { Interrupted } from '../command-line.ts';
import { MaintenanceError, type MaintenanceErrorCode } from '../errors.ts';
import { scavengeAlone } from '../scavenge.ts';

export const ScavengeStatus = z.object({
  /** NONE if this process has not started a scavenge yet. */
  state: z.enum(['NONE', 'RUNNING', 'DONE', 'FAILED']),
  /** The bytes freed so far. */
  bytes: z.number(),
  problem: z.object({ code: z.custom<MaintenanceErrorCode>(), message: z.string() }).nullable(),
});
export type ScavengeStatus = z.infer<typeof ScavengeStatus>;

export interface ScavengeWork {
  /** Starts a scavenge if none is running. */
  startScavenge(): ScavengeStatus;
  scavengeStatus(): ScavengeStatus;
  /** Stops the running scavenge, if any; returns the status of the last one. */
  stopScavenge(): Promise<ScavengeStatus>;
}

export function openScavengeWork(deps: { pool: Pool; eventStoreUrl: string; log: Log }): ScavengeWork {
  const { pool, eventStoreUrl, log } = deps;
  let status: ScavengeStatus = { state: 'NONE', bytes: 0, problem: null };
  let abort = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<void> {
    const { signal } = abort;
    try {
      const bytes = await scavengeAlone({
        pool,
        eventStoreUrl,
        signal,
        onProgress: (bytes) => (status = { ...status, bytes }),
      });
      status = { state: 'DONE', bytes, problem: null };
      log.info({ bytes }, 'The event store was scavenged');
    } catch (error) {
      const code = error instanceof MaintenanceError ? error.code : signal.aborted ? 'INTERRUPTED' : 'SCAVENGE_FAILED';
      const message = error instanceof Error ? error.message : String(error);
      status = { ...status, state: 'FAILED', problem: { code, message } };
      log.error({ err: error }, 'The scavenge of the event store ended early');
    }
  }

  return {
    startScavenge() {
      if (status.state === 'RUNNING') return status;
      abort = new AbortController();
      status = { state: 'RUNNING', bytes: 0, problem: null };
      running = run();
      return status;
    },
    scavengeStatus: () => status,
    async stopScavenge() {
      abort.abort(new Interrupted('The scavenge was stopped.'));
      await running;
      return status;
    },
  };
}
