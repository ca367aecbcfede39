/** Builds the read models of restored stores, for the start of the product or for a verification. */
import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '@rdm/platform';
import { startEventStoreProcess } from '../../event-store/spawn.ts';
import { PROGRAMS } from '../../launcher/parts.ts';
import { MaintenanceError } from '../errors.ts';

export interface FilledStores {
  /** The directory of the event store, which must not be open. */
  directory: string;
  /** The address of the running database. */
  url: string;
  pool: Pool;
  /** The seq of the last event. */
  seq: number;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined;
}

const POLL_MS = 200;

/** Runs an event store and a projector on the stores until the read models have reached the end of the log. */
export async function buildReadModels({ directory, url, pool, seq, signal, onProgress }: FilledStores): Promise<void> {
  const store = await startEventStoreProcess({ dir: directory, output: 'pipe' });
  try {
    const projector = startProjector(url, store.url);
    try {
      for (;;) {
        signal?.throwIfAborted();
        if (projector.exitCode !== null || projector.signalCode !== null) {
          throw new MaintenanceError('VERIFICATION_FAILED', 'The projector of the restored data ended early.');
        }
        const { rows } = await pool.query<{ complete: boolean; seq: number }>(
          'SELECT complete, seq FROM platform.reader',
        );
        const reader = rows[0];
        if (reader) onProgress?.({ done: Math.min(reader.seq, seq), total: Math.max(1, seq) });
        if (reader?.complete && reader.seq >= seq) return;
        await pause(POLL_MS, undefined, { signal }).catch(() => undefined);
      }
    } finally {
      await stopProjector(projector);
    }
  } finally {
    await store.stop();
  }
}

/** Starts a projector. It ends together with this process, because its IPC channel closes. */
function startProjector(databaseUrl: string, eventStoreUrl: string): ChildProcess {
  const unused = 'x'.repeat(32);
  return fork(PROGRAMS.projector, [], {
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_URL: databaseUrl,
      EVENTSTORE_URL: eventStoreUrl,
      // The projector requires these settings, but no other service calls it.
      SESSION_SECRET: unused,
      SERVICE_SECRET: unused,
      LOG_LEVEL: 'silent',
    },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

async function stopProjector(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await exited;
}
