/** Lowers the priority of PostgreSQL backends on this machine, so that long queries leave the processors to short ones. */
import { readFile, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import type pg from 'pg';

/** About a tenth of a processor's time while others want it. */
const NICENESS = 10;

/**
 * Lowers the priority of the backend that serves this connection. Linux alone; does nothing where the server runs on
 * another machine, in a container or as another user.
 */
export async function lowerPriority(client: pg.ClientBase): Promise<void> {
  if (process.platform !== 'linux') return;
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid, inet_client_port() AS port');
  const { pid, port } = rows[0] as { pid: number; port: number | null };
  try {
    // A process of this machine may have the same number: a backend's title names the port of its client.
    const title = await readFile(`/proc/${pid}/cmdline`, 'utf8');
    if (!title.startsWith('postgres') || !title.includes(`(${port})`)) return;
    setPriority(pid, NICENESS);
    // Each backend is a session: where the kernel groups processes by session, only the niceness of the group counts.
    await writeFile(`/proc/${pid}/autogroup`, String(NICENESS));
  } catch {
    // The backend is not on this machine, or this user may not: it keeps its priority.
  }
}
