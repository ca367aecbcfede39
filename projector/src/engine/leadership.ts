/** Leader election: an advisory lock on a connection of its own, with a token that fences out former leaders. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ADVISORY_LOCKS, type Log } from '@rdm/platform';
import pg from 'pg';

/** Application name of the leader's writing connections. A new leader terminates all connections with this name. */
export const WRITER_APPLICATION = 'reference-data-projecting';

const HEARTBEAT_MS = 1_000;
/** PostgreSQL ends the lock's session after this time without a heartbeat: a suspended leader loses the lock. */
const LEASE_MS = 5_000;

export interface Leadership {
  token: number;
  /** Aborted when the lock is lost or released. */
  lost: AbortSignal;
  release(): Promise<void>;
}

/**
 * Waits for the lock without a time limit. Calls `onWaiting` if another projector holds the lock. Returns undefined
 * when aborted. Throws if the database cannot be reached.
 */
export async function acquireLeadership(
  url: string,
  log: Log,
  signal: AbortSignal,
  onWaiting: () => void,
): Promise<Leadership | undefined> {
  const client = new pg.Client({ connectionString: url, application_name: 'reference-data-leader', keepAlive: true });
  const leadLost = new AbortController();
  client.on('error', (error) => {
    if (!leadLost.signal.aborted) log.warn({ err: error }, 'The connection for the leader lock broke');
    leadLost.abort();
  });
  let ending: Promise<void> | undefined;
  const end = () => (ending ??= client.end());
  const closeConnection = () => void end();
  try {
    signal.addEventListener('abort', closeConnection, { once: true });
    await client.connect();
    signal.throwIfAborted();
    await client.query(`SET idle_session_timeout = '${LEASE_MS}ms'`);
    const { rows: lockRows } = await client.query<{ leads: boolean }>('SELECT pg_try_advisory_lock($1) AS leads', [
      ADVISORY_LOCKS.projectorLeadership,
    ]);
    if (!lockRows[0]?.leads) {
      onWaiting();
      await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.projectorLeadership]);
    }
    await endFormerLeaders(client);
    const { rows } = await client.query<{ token: string }>(
      'UPDATE platform.reader SET token = token + 1 RETURNING token',
    );
    signal.throwIfAborted();
    const heartbeats = sendHeartbeats(client, leadLost);
    return {
      token: Number(rows[0]?.token),
      lost: leadLost.signal,
      release: async () => {
        leadLost.abort();
        await heartbeats;
        await end();
      },
    };
  } catch (error) {
    await end();
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    signal.removeEventListener('abort', closeConnection);
  }
}

/** Terminates the connections of former leaders: the locks of a suspended transaction would block the new leader. */
async function endFormerLeaders(client: pg.Client): Promise<void> {
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND usename = current_user AND application_name = $1`,
    [WRITER_APPLICATION],
  );
}

async function sendHeartbeats(client: pg.Client, lost: AbortController): Promise<void> {
  while (!lost.signal.aborted) {
    try {
      const heartbeat = client.query('SELECT 1');
      const late = sleep(LEASE_MS, 'late', { signal: lost.signal, ref: false }).catch(() => 'late');
      if ((await Promise.race([heartbeat, late])) === 'late') heartbeat.catch(() => undefined);
      else {
        await sleep(HEARTBEAT_MS, undefined, { signal: lost.signal, ref: false }).catch(() => undefined);
        continue;
      }
    } catch {
      // A broken connection has lost the lock: abort below.
    }
    lost.abort();
  }
}
